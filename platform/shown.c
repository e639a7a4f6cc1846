// SPDX-License-Identifier: GPL-2.0-or-later
#include "platform/shown.h"

#include <stdio.h>
#include <string.h>

const char *fs_shown(const char *value, char shown[FS_SHOWN_MAX])
{
	if (snprintf(shown, FS_SHOWN_MAX, "%s", value) >= FS_SHOWN_MAX)
		strcpy(shown + FS_SHOWN_MAX - sizeof("..."), "...");
	return shown;
}
