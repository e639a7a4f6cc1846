// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void fs_table_init(struct table *t, const char *align)
{
	assert(strlen(align) <= TABLE_COLUMNS_MAX);
	*t = (struct table){ .align = align };
}

/* Without memory for a report there is nothing left to say: the rows so far are printed. */
void fs_table_row(struct table *t)
{
	t->column = 0;
	if (t->nrows == t->room) {
		const unsigned room = t->room ? 2 * t->room : 16;
		struct table_row *rows = realloc(t->rows, room * sizeof(*rows));

		if (!rows) {
			t->column = TABLE_COLUMNS_MAX;
			return;
		}
		t->rows = rows;
		t->room = room;
	}
	t->rows[t->nrows++] = (struct table_row){ .below = NULL };
}

void fs_table_cell(struct table *t, const char *fmt, ...)
{
	va_list args;

	if (t->column >= strlen(t->align))
		return;
	va_start(args, fmt);
	if (vasprintf(&t->rows[t->nrows - 1].cells[t->column], fmt, args) < 0)
		t->rows[t->nrows - 1].cells[t->column] = NULL;
	va_end(args);
	t->column++;
}

void fs_table_below(struct table *t, char *lines)
{
	if (t->column < TABLE_COLUMNS_MAX && t->nrows) {
		free(t->rows[t->nrows - 1].below);
		t->rows[t->nrows - 1].below = lines;
	} else {
		free(lines);
	}
}

static const char *table_text(const struct table_row *row, unsigned column)
{
	return row->cells[column] ? row->cells[column] : "";
}

/* Columns on a terminal: the bytes that begin a character of UTF-8. */
static int table_width(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

static void table_print_row(const struct table *t, const struct table_row *row, FILE *out,
			    const int *widths)
{
	unsigned last = (unsigned)strlen(t->align);

	while (last > 1 && !*table_text(row, last - 1))
		last--;
	for (unsigned c = 0; c < last; c++) {
		const char *gap = c ? "  " : "", *text = table_text(row, c);
		const int pad = widths[c] - table_width(text);

		if (t->align[c] == 'r')
			fprintf(out, "%s%*s%s", gap, pad, "", text);
		else
			fprintf(out, "%s%s%*s", gap, text, c + 1 < last ? pad : 0, "");
	}
	fputc('\n', out);
	if (row->below)
		fputs(row->below, out);
}

static void table_free(struct table *t)
{
	for (unsigned r = 0; r < t->nrows; r++) {
		for (unsigned c = 0; c < TABLE_COLUMNS_MAX; c++)
			free(t->rows[r].cells[c]);
		free(t->rows[r].below);
	}
	free(t->rows);
	*t = (struct table){ .align = t->align };
}

void fs_table_print(struct table *t, FILE *out, int indent)
{
	int widths[TABLE_COLUMNS_MAX] = { 0 };

	for (unsigned r = 0; r < t->nrows; r++) {
		for (unsigned c = 0; t->align[c]; c++) {
			const int width = table_width(table_text(&t->rows[r], c));

			widths[c] = width > widths[c] ? width : widths[c];
		}
	}
	for (unsigned r = 0; r < t->nrows; r++) {
		fprintf(out, "%*s", indent, "");
		table_print_row(t, &t->rows[r], out, widths);
	}
	table_free(t);
}
