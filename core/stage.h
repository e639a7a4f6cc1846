/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stage.h - the inside of a stage process
 */
#ifndef CORE_STAGE_H
#define CORE_STAGE_H

/*
 * Run stage `index` of the area behind an inherited descriptor: workspace, workers, settle, and
 * after the workers' end the removal. Everything it has to say goes into the area. Returns the exit
 * status: 0, or 2 when the descriptor is not an area.
 */
int fs_stage_main(int area_fd, unsigned index);

#endif
