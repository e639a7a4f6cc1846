/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - text in aligned columns, widths computed from what is in them
 */
#ifndef CORE_TABLE_H
#define CORE_TABLE_H

#include <stdio.h>

#include "platform/compiler.h"

#define TABLE_COLUMNS_MAX 16

struct table_row {
	char *cells[TABLE_COLUMNS_MAX];
	char *below;			/* whole lines printed after the row; or NULL */
};

struct table {
	const char *align;		/* a letter a column, 'l' or 'r'; the last is not padded */
	struct table_row *rows;
	unsigned nrows, room, column;	/* column: of the next cell of the last row */
};

void fs_table_init(struct table *t, const char *align);
/* Begin a row, then printf its cells from left to right; missing ones are empty. */
void fs_table_row(struct table *t);
void fs_table_cell(struct table *t, const char *fmt, ...) FS_PRINTF(2, 3);
/* Lines below the last row; takes over `lines` (malloc'ed), NULL is nothing. */
void fs_table_below(struct table *t, char *lines);
/* Print with `indent` blanks before each row and two between columns, then free everything. */
void fs_table_print(struct table *t, FILE *out, int indent);

#endif
