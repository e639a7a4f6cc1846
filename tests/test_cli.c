// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_cli.c - the command line: what is understood, and that everything else is refused with one line
 */
#include "core/registry.h"
#include "tests/capture.h"

static void test_defaults(void **unused)
{
	struct command command;
	const struct config *c = command_understood(&command, "--class filesystem");

	(void)unused;
	assert_int_equal(c->verb, VERB_RUN);
	assert_int_equal(c->classes, FS_CLASS_FILESYSTEM);
	assert_false(c->class_all);
	assert_int_equal(c->timeout_ns, 10 * FS_NSEC_PER_SEC);
	assert_null(c->timeout.text);
	assert_string_equal(c->timeout.origin, "default");
	assert_int_equal(c->settle_ns, 5 * FS_NSEC_PER_SEC);
	assert_int_equal(c->repeat, 1);
	assert_int_equal(c->ops, 0);
	assert_int_equal(c->keep, KEEP_NEVER);
	assert_int_equal(c->pin, PIN_SPREAD);
	assert_int_equal(c->ntargets, 0);
	assert_false(c->warmup_given || c->seed_given || c->verify || c->process || c->dry_run);
	fs_config_free(&command.config);
}

static void test_typos(void **unused)
{
	static const struct {
		const char *line, *says;
	} table[] = {
		{ "--tiemout 5 --class os", "did you mean --timeout?" },
		{ "--nr-thread 10% --class os", "did you mean --nr-threads?" },
		{ "--time 5 --class os", "unknown option" },
		{ "--class filesytem", "did you mean filesystem?" },
		{ "--class zzzzzzzz", "filesystem io os" },
		{ "--fiemap-extens 4 --fiemap 1", "did you mean --fiemap-extents?" },
		{ "--fimap 4", "did you mean --fiemap?" },
		{ "--class os fiemap", "did you mean --test fiemap?" },
		{ "--class os stray", "stray word 'stray'" },
		{ "lst", "did you mean list?" },
		{ "plan plan", "stray word" },
		{ "-- run --class", "stray word" },
		{ "-timeout 5", "did you mean --timeout?" },
		{ "-t 5", "-t: unknown option" },
		{ "--quite --class os", "did you mean --quiet?" },
		{ "--jason - --class os", "did you mean --json?" },
		{ "--completelyunknownthing", "see fsstress --help" },
		{ "help compar", "no such verb" },
	};

	(void)unused;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(table); i++)
		command_refused(table[i].line, table[i].says);
}

static void test_values(void **unused)
{
	static const struct {
		const char *line, *says;
	} table[] = {
		{ "--timeout= --class os", "--timeout: empty value" },
		{ "--timeout  --class os", "--timeout: empty value" },
		{ "--class os --timeout", "needs a value" },
		{ "--timeout --class os", "needs a value" },
		{ "--verify=1 --class os", "takes no value" },
		{ "--timeout 5 --class os --timeout 6", "given twice" },
		{ "--timeout 5 --class os --testtime 6", "given twice" },
		{ "--fiemap 1 --fiemap-mode warm --fiemap-method first", "given twice" },
		{ "--fiemap 1 --fiemap 2", "given twice" },
		{ "--timeout 0 --class os", "longer than 0" },
		{ "--timeout 1e3 --class os", "not a duration" },
		{ "--timeout -1 --class os", "not a duration" },
		{ "--warmup x --class os", "not a duration" },
		{ "--settle 5x --class os", "not a duration" },
		{ "--ops 0 --class os", "out of range" },
		{ "--ops 1k --class os", "not a plain number" },
		{ "--repeat 0 --class os", "out of range" },
		{ "--seed -1 --class os", "not a plain number" },
		{ "--workers fork --class os", "thread, process" },
		{ "--pin tight --class os", "spread, compact, none" },
		{ "--share all --class os", "none, dir, file, range" },
		{ "--keep-files yes --class os", "never, on-fail, always" },
		{ "--order sorted --class os", "given, random" },
		{ "--fresh always --disk mem:1G --fs ext4 --class os", "run, stage, never" },
		{ "--label x --class os", "KEY=VALUE" },
		{ "--label =x --class os", "KEY=VALUE" },
		{ "--test a,,b", "empty name" },
		{ "--test ,", "empty name" },
		{ "--exclude a, --class os", "empty name" },
		{ "--class os,", "empty name" },
		{ "--class os?,io", "one class" },
		{ "--job /nonexistent/j", "No such file" },
	};

	(void)unused;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(table); i++)
		command_refused(table[i].line, table[i].says);
}

static void test_together(void **unused)
{
	static const struct {
		const char *line, *says;
	} table[] = {
		{ "", "nothing to do" },
		{ "--timeout 5", "nothing to do" },
		{ "--disk loop:1G --class os", "--fs TYPE" },
		{ "--fs ext4 --class os", "--disk SPEC" },
		{ "--mkfs-opts x --class os", "--disk SPEC" },
		{ "--yes-destroy --class os", "--disk SPEC" },
		{ "--disk loop:1G --fs ext4 --target . --class os", "exclude each other" },
		{ "--disk tmpfs:1G --fs ext4 --class os", "no --fs but tmpfs" },
		{ "--disk loop:1X --fs ext4 --class os", "--disk loop:1X" },
		{ "--disk /dev/null --fs ext4 --class os", "--yes-destroy" },
		{ "--json - --lkp --class os", "one machine format" },
		{ "--lkp --metrics-brief --class os", "one machine format" },
		{ "--csv --lkp --class os", "one machine format" },
		{ "--csv --json - --class os", "one machine format" },
		{ "--csv --times --class os", "one machine format" },
		{ "--csv=f --class os", "takes no value" },
		{ "--json - --times --class os", "one machine format" },
		{ "--sequential 1 --all 1 --class os", "exclude each other" },
		{ "--sequential 1 --nr-threads 1 --class os", "two worker counts" },
		{ "--nr-threads 1 --fiemap 1", "two worker counts" },
		{ "--sequential 1 --test fiemap", "for a --class" },
		{ "list --verify", "means nothing to list" },
		{ "clean --timeout 5", "means nothing to clean" },
		{ "version --lkp --tiemout 5", "--timeout" },
		{ "describe", "name a stressor" },
		{ "--perf-control ,a --class os", "write FIFO or FIFO,ACK" },
		{ "--perf-control a, --class os", "write FIFO or FIFO,ACK" },
		{ "--perf-control a,b,c --class os", "write FIFO or FIFO,ACK" },
		{ "--perf-control a --perf-control b --class os", "given twice" },
		{ "probe --monitor x", "means nothing to probe" },
		{ "--class os --snapshot= ", "empty value" },
	};

	(void)unused;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(table); i++)
		command_refused(table[i].line, table[i].says);
}

static void test_not_in_this_version(void **unused)
{
	static const char *const lines[] = {
		"--class seeds",
		"compare a -- b",
		"ab",
		"bisect",
		"plot",
		"report",
		"help compare",
		"--umask 4",
		"--umask-ops 4",
	};

	(void)unused;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(lines); i++)
		command_refused(lines[i], "not in this version");
}

static void test_classes_without_stressors(void **unused)
{
	unsigned built = 0;
	char line[64];

	(void)unused;
	for (const struct fs_entry *e = fs_registry; e->name; e++)
		built |= e->stressor ? e->stressor->classes : 0;
	for (unsigned i = 0; fs_class_names[i]; i++) {
		snprintf(line, sizeof(line), "--class %s", fs_class_names[i]);
		if (!(built & 1u << i))
			command_refused(line, "in this version");
	}
}

static void test_repeated(void **unused)
{
	struct command command;
	const struct config *c;

	(void)unused;
	c = command_understood(&command, "--timeout 5 --test fiemap --timeout 5 --test=revio,lease "
					 "--verify --verify --target a "
					 "--temp-path b --target a --label x=1 --label y=2 "
					 "--exclude touch --exclude link,dir --class os");
	assert_int_equal(c->timeout_ns, 5 * FS_NSEC_PER_SEC);
	assert_int_equal(c->npicks, 3);
	assert_string_equal(c->picks[2].key, "lease");
	assert_null(c->picks[2].workers);
	assert_int_equal(c->ntargets, 3);
	assert_string_equal(c->targets[1], "b");
	assert_int_equal(c->nlabels, 2);
	assert_int_equal(c->nexclude, 3);
	assert_string_equal(c->exclude[2], "dir");
	fs_config_free(&command.config);
}

static void test_latency(void **unused)
{
	static const char *const bad[] = {
		"--rate 0", "--rate -1", "--rate 1e3", "--rate inf", "--rate 10k", "--rate .",
		"--rate 0.0001", "--rate 99999999", "--rate 0x10", "--latency each",
	};
	struct command command;
	const struct config *c;
	char line[64];

	(void)unused;
	c = command_understood(&command, "--class os");
	assert_int_equal(c->latency, LATENCY_SAMPLE);
	assert_true(c->rate == 0);
	fs_config_free(&command.config);
	c = command_understood(&command, "--class os --latency all --rate 0.5");
	assert_int_equal(c->latency, LATENCY_ALL);
	assert_true(c->rate == 0.5);
	fs_config_free(&command.config);
	for (unsigned i = 0; i < FS_ARRAY_SIZE(bad); i++) {
		snprintf(line, sizeof(line), "%s --class os", bad[i]);
		command_refused(line, "--");
	}
}

static void test_watchers(void **unused)
{
	struct command command;
	const struct config *c;
	char line[512] = "--class os";

	(void)unused;
	c = command_understood(&command, line);
	assert_null(c->perf_control);
	assert_false(c->trace_marker);
	fs_config_free(&command.config);
	c = command_understood(&command, "--class os --perf-control a,b --trace-marker "
					 "--monitor x,y=z --snapshot /proc/vmstat --monitor x");
	assert_string_equal(c->perf_control, "a,b");
	assert_true(c->trace_marker);
	assert_int_equal(c->nmonitors, 2);
	assert_string_equal(c->monitors[0], "x,y=z");
	assert_int_equal(c->nsnapshots, 1);
	fs_config_free(&command.config);
	for (unsigned i = 0; i < FS_WATCHERS_MAX; i++)
		strcat(line, " --monitor x");
	assert_int_equal(command_understood(&command, line)->nmonitors, FS_WATCHERS_MAX);
	fs_config_free(&command.config);
	command_refused(strcat(line, " --monitor x"), "at most 16");
}

static void test_order_is_irrelevant(void **unused)
{
	static const char *const lines[] = {
		"plan --fiemap-extents 5 --fiemap 2 --timeout=1m30s --nr-threads 1 --test revio",
		"--test=revio --timeout 1m30s plan --nr-threads=1 --fiemap=2 --fiemap-extents=5",
		"--nr-threads 1 --fiemap 2 --plan --fiemap-extents 5 --test revio --timeout 1m30s",
	};

	(void)unused;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(lines); i++) {
		struct command command;
		const struct config *c = command_understood(&command, lines[i]);

		assert_int_equal(c->verb, VERB_PLAN);
		assert_true(c->dry_run);
		assert_int_equal(c->timeout_ns, 90 * FS_NSEC_PER_SEC);
		assert_string_equal(c->timeout.origin, "--timeout");
		assert_int_equal(c->npicks, 2);
		assert_int_equal(c->noptions, 1);
		assert_string_equal(c->options[0].name, "extents");
		assert_string_equal(c->options[0].value, "5");
		assert_string_equal(c->options[0].origin, "--fiemap-extents");
		assert_ptr_equal(c->options[0].stressor, fs_registry_find("fiemap")->stressor);
		fs_config_free(&command.config);
	}
}

static void test_verbs(void **unused)
{
	static const struct {
		const char *line, *arg;
		enum verb verb;
	} table[] = {
		{ "run --class os", NULL, VERB_RUN },
		{ "list", NULL, VERB_LIST },
		{ "list f*", "f*", VERB_LIST },
		{ "describe fiemap.warm", "fiemap.warm", VERB_DESCRIBE },
		{ "describe fiemap --json -", "fiemap", VERB_DESCRIBE },
		{ "probe", NULL, VERB_PROBE },
		{ "plan", NULL, VERB_PLAN },
		{ "clean --target d", NULL, VERB_CLEAN },
		{ "help", NULL, VERB_HELP },
		{ "help plan", "plan", VERB_HELP },
		{ "plan --help", "plan", VERB_HELP },
		{ "--help", NULL, VERB_HELP },
		{ "-h", NULL, VERB_HELP },
		{ "version", NULL, VERB_VERSION },
		{ "--version", NULL, VERB_VERSION },
		{ "-- list", NULL, VERB_LIST },
		{ "--class os?", NULL, VERB_LIST },
	};

	(void)unused;
	for (unsigned i = 0; i < FS_ARRAY_SIZE(table); i++) {
		struct command command;
		const struct config *c = command_understood(&command, table[i].line);

		assert_int_equal(c->verb, table[i].verb);
		if (table[i].arg)
			assert_string_equal(c->verb_arg, table[i].arg);
		else
			assert_null(c->verb_arg);
		fs_config_free(&command.config);
	}
}

/* The command of the first bug report, as lkp-tests writes it. */
static void test_stress_ng(void **unused)
{
	struct command command;
	const struct config *c = &command.config;
	struct capture capture;
	int rc;

	(void)unused;
	capture_start(&capture);
	rc = command_parse(&command, "--timeout 1 --times --verify --metrics-brief --sequential 9 "
			   "--class os --minimize --no-rand-seed --exclude spawn,exec,swap");
	assert_int_equal(capture_end(&capture), 1);
	assert_int_equal(rc, 0);
	assert_non_null(strstr(capture.text, "note: "));
	assert_non_null(strstr(capture.text, "--minimize --no-rand-seed\n"));
	assert_int_equal(c->timeout_ns, FS_NSEC_PER_SEC);
	assert_true(c->times && c->verify && c->metrics_brief);
	assert_int_equal(c->classes, FS_CLASS_OS);
	assert_string_equal(c->sequential.text, "9");
	assert_int_equal(c->nexclude, 3);
	fs_config_free(&command.config);

	assert_true(command_understood(&command, "--metrics --metrics-brief --fiemap -1")->metrics);
	assert_false(command.config.metrics_brief);
	assert_string_equal(command.config.picks[0].workers, "-1");
	fs_config_free(&command.config);
}

static void test_quiet_takes_the_note_away(void **unused)
{
	struct command command;

	(void)unused;
	assert_non_null(
		command_understood(&command, "--minimize --class os --quiet")->stress_ng_noted);
	fs_config_free(&command.config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_typos),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_not_in_this_version),
		cmocka_unit_test(test_classes_without_stressors),
		cmocka_unit_test(test_repeated),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_watchers),
		cmocka_unit_test(test_order_is_irrelevant),
		cmocka_unit_test(test_verbs),
		cmocka_unit_test(test_stress_ng),
		cmocka_unit_test(test_quiet_takes_the_note_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
