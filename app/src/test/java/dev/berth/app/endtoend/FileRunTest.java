package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/** Runs of command files: in order, in parallel, with retries. */
@ExtendWith(ServerHarnessExtension.class)
final class FileRunTest {

    private static final Duration ALL_DONE_WITHIN = Duration.ofMinutes(4);

    private static final String QUICK =
            """
            gpu_left: 0
            check_time: 1
            retry_config:
              backoff_duration: 1
            """;

    @Test
    @Tag("slow")
    void twentyLanesKeepTheirOrderThroughFailuresAndKills(ServerHarness harness) {
        var times = new GpuTimeline(harness.file("times"));
        var text = new StringBuilder();
        for (int index = 0; index < 10; index++) {
            for (int lane = 1; lane <= 20; lane++) {
                text.append(block(lane, times(times, harness, lane, index)));
            }
        }
        harness.configure(QUICK).start();
        var lanes = new FileRunApi(harness);
        long pid = lanes.write("single", text.toString()).start("single");
        for (int kill = 1; kill <= 3; kill++) {
            int done = kill * 40;
            eventually(
                    ALL_DONE_WITHIN,
                    done + " tasks have completed",
                    () -> lanes.run(pid).path("completed").asInt() >= done);
            harness.kill();
            harness.start();
        }
        eventually(
                ALL_DONE_WITHIN,
                "the run has finished",
                () -> lanes.run(pid).path("status").asString().equals("finished"));
        var run = lanes.run(pid);
        assertThat(run.path("completed").asInt()).isEqualTo(200);
        assertThat(retries(run)).as("each fifth failed once").isEqualTo(40);
        times.assertNoAttemptRanTwice();
        times.assertNoTwoTasksWereOnOneGpu();
        assertThat(times.starts()).hasSize(200);
        assertOrder(harness);
        harness.awaitNoLeftovers();
    }

    private static int retries(JsonNode run) {
        int retries = 0;
        for (var queue : run.path("queues")) {
            for (var process : queue.path("processes")) {
                retries += process.path("retry_count").asInt();
            }
        }
        return retries;
    }

    /** Records its times and its GPU, and fails the first time if it is one of five. */
    private static String times(GpuTimeline times, ServerHarness harness, int lane, int index) {
        var name = lane + "-" + index;
        var note =
                "echo \"%s "
                        + name
                        + " $BERTH_ATTEMPT [$CUDA_VISIBLE_DEVICES] ${EPOCHREALTIME/,/.}\" >> "
                        + times.file();
        var failing =
                index % 5 == 2
                        ? "[ -e "
                                + mark(harness, name)
                                + " ] || { touch "
                                + mark(harness, name)
                                + "; "
                                + note.formatted("end")
                                + "; false; }\n"
                        : "";
        return note.formatted("start")
                + "\n"
                + failing
                + "echo "
                + name
                + " >> "
                + harness.file("order")
                + "\n"
                + note.formatted("end");
    }

    private static String mark(ServerHarness harness, String name) {
        return harness.file("failed-" + name).toString();
    }

    private static void assertOrder(ServerHarness harness) {
        var done = new TreeMap<String, List<String>>();
        for (var line : lines(harness, "order")) {
            var words = line.split("-");
            done.computeIfAbsent(words[0], _ -> new ArrayList<>()).add(words[1]);
        }
        assertThat(done).hasSize(20);
        done.values()
                .forEach(
                        lane ->
                                assertThat(lane)
                                        .containsExactly(
                                                "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"));
    }

    @Test
    void aTaskThatFailsIsTriedAgainWithABackoffAfterEveryThirdAndItsLaneWaits(
            ServerHarness harness) {
        harness.configure(QUICK.replace("duration: 1", "duration: 6")).start();
        var lanes = new FileRunApi(harness);
        var file = harness.file("tries");
        var failing =
                "echo {uni_id} ${EPOCHREALTIME/,/.} >> " + file + "\nfalse\necho no >> " + file;
        lanes.write("single", block(1, failing) + block(1, "true") + block(2, "true"));
        long pid = lanes.start("single");
        eventually("it has been tried five times", () -> lines(harness, "tries").size() >= 5);
        var tries = lines(harness, "tries");
        var names = new TreeSet<String>();
        var at = new ArrayList<Double>();
        for (var line : tries) {
            names.add(line.split(" ")[0]);
            at.add(Double.parseDouble(line.split(" ")[1]));
        }
        assertThat(names).as("a name of its own for each try").hasSize(tries.size());
        assertThat(at.get(3) - at.get(0))
                .as("the first three retries follow at once")
                .isLessThan(6);
        assertThat(at.get(4) - at.get(3)).as("the fourth waits").isGreaterThanOrEqualTo(6);
        var queues = lanes.run(pid).path("queues");
        assertThat(queues.path("1").path("completed").asInt()).isZero();
        assertThat(queues.path("2").path("status").asString()).isEqualTo("done");
        eventually(
                "the rest is shown",
                () -> lanes.run(pid).path("queues").path("1").path("backoff_until").isString());
        assertThat(lanes.process(pid, 1, 0).path("status").asString()).isEqualTo("pending");
        eventually("the old tries stand in uni_id.json", () -> abnormal(harness, names) >= 4);

        lanes.stop(pid);
        eventually("nothing of it is left", () -> !lanes.isActive(pid));
        assertThat(lanes.process(pid, 1, 1).path("status").asString()).isEqualTo("cancelled");
    }

    private static int abnormal(ServerHarness harness, TreeSet<String> names) {
        var records = uniIds(harness);
        int abnormal = 0;
        for (var name : names) {
            var state = records.path(name).path("state").asString("");
            abnormal += state.equals("abnormal_exit") ? 1 : 0;
        }
        return abnormal;
    }

    @Test
    void theFirstCommandThatFailsIsTheLastHoweverItIsWritten(ServerHarness harness) {
        harness.configure(QUICK + "  max_retries: 0\n").start();
        var lanes = new FileRunApi(harness);
        var ran = harness.file("ran");
        lanes.write(
                "single",
                block(1, "set -e; false; echo no >> " + ran + "\necho no >> " + ran)
                        + block(2, "(exit 7) # and so on\necho no >> " + ran)
                        + block(3, "cd /tmp\necho $PWD >> " + ran + " # the shell is one"));
        long pid = lanes.start("single");
        eventually("all are over", () -> !lanes.isActive(pid));
        assertThat(lines(harness, "ran")).containsExactly("/tmp");
        assertThat(lanes.run(pid).path("failed").asInt()).isEqualTo(2);
        assertThat(lanes.process(pid, 2, 0).path("error_type").asString()).isEqualTo("exit_7");
    }

    @Test
    void theScriptReportDecides(ServerHarness harness) {
        harness.configure(QUICK + "process_json_path: " + harness.file("uni_id.json") + "\n")
                .start();
        var lanes = new FileRunApi(harness);
        var file = harness.file("uni_id.json");
        // As such scripts do it: read, change, replace atomically.
        var say =
                "python3 - {uni_id} %s %s <<< 'import json, os, sys; f = \""
                        + file
                        + "\"; d = json.load(open(f)); d[sys.argv[1]].update(state=sys.argv[2],"
                        + " error_type=sys.argv[3]); json.dump(d, open(f + \".tmp\", \"w\"));"
                        + " os.replace(f + \".tmp\", f)'";
        var marker = harness.file("again");
        lanes.write(
                "single",
                block(
                                1,
                                "[ -e %s ] || { touch %s; sleep 1; %s; exit 0; }"
                                        .formatted(
                                                marker,
                                                marker,
                                                say.formatted("abnormal_exit", "oom")))
                        + block(2, "sleep 1; " + say.formatted("normal_exit", "''") + "; exit 5"));
        long pid = lanes.start("single");
        eventually(
                "both have completed",
                () -> lanes.run(pid).path("status").asString().equals("finished"));
        assertThat(lanes.run(pid).path("completed").asInt()).isEqualTo(2);
        assertThat(lanes.process(pid, 1, 0).path("retry_count").asInt()).isEqualTo(1);
        assertThat(lanes.process(pid, 2, 0).path("retry_count").asInt()).isZero();
        var types = new ArrayList<String>();
        for (var record : TestClient.JSON.readTree(text(harness, "uni_id.json"))) {
            types.add(
                    record.path("state").asString() + " " + record.path("error_type").asString(""));
        }
        assertThat(types).contains("abnormal_exit oom", "normal_exit ");
    }

    @Test
    void aRunGoesOnUnderTheNextServerAndAnEditedFileIsReadAtTheNextStart(ServerHarness harness) {
        harness.configure(QUICK).start();
        var lanes = new FileRunApi(harness);
        var gate = new CommandGate(harness.file("gate"));
        lanes.write("single", block(1, gate.command()) + block(1, "true"));
        long pid = lanes.start("single");
        eventually(
                "it runs",
                () -> lanes.process(pid, 1, 0).path("status").asString().equals("running"));
        assertThat(lanes.refusal(lanes.post("single/start?config_index=0"), 409))
                .isEqualTo("run.already");
        assertThat(lanes.delete("single", 0)).isEqualTo(400);
        lanes.write("single", block(1, "true") + block(9, "true"));
        harness.kill();
        harness.start();
        assertThat(lanes.run(pid).path("status").asString()).isEqualTo("running");
        gate.open();
        eventually(
                "it has finished",
                () -> lanes.run(pid).path("status").asString().equals("finished"));
        assertThat(lanes.run(pid).path("total").asInt()).isEqualTo(2);
        long next = lanes.start("single");
        assertThat(next).isEqualTo(pid + 1);
        assertThat(lanes.run(next).path("queues").has("9")).isTrue();
        var state = harness.home().resolve("logs/state/" + pid + ".json");
        eventually(
                "its last state is written",
                () ->
                        TestClient.JSON
                                .readTree(text(state))
                                .path("status")
                                .asString()
                                .equals("finished"));
    }

    @Test
    void onlyRunsAreStoppedByTheirNumber(ServerHarness harness) {
        harness.configure(QUICK).start();
        var lanes = new FileRunApi(harness);
        long other = ProcessHandle.current().pid();
        lanes.write("single", block(1, "sleep 600"));
        long pid = lanes.start("single");
        eventually("it runs", () -> lanes.process(pid, 1, 0).path("pid").asLong() > 0);
        assertThat(lanes.refusal(lanes.post("stop/" + other), 404)).isEqualTo("run.unknown");
        long command = lanes.process(pid, 1, 0).path("pid").asLong();
        assertThat(ProcessHandle.of(command)).isPresent();
        assertThat(lanes.refusal(lanes.post("stop/" + command), 404)).isEqualTo("run.unknown");
        assertThat(ProcessHandle.of(command)).isPresent();
        lanes.post("stop/" + pid + "?keep_running=true").expect(200);
        assertThat(lanes.isActive(pid)).isFalse();
        assertThat(ProcessHandle.of(command)).isPresent();
        assertThat(lanes.refusal(lanes.post("stop/" + pid), 409)).isEqualTo("run.not_running");
    }

    @Test
    void aStartThatDoesNotComeUpIsClosedOffAndTriedAgain(ServerHarness harness) {
        harness.configure(QUICK + "start_confirm_timeout_seconds: 1\n").start();
        var lanes = new FileRunApi(harness);
        var held = harness.failpoint("shim.before-go").arm();
        lanes.write("single", block(1, "echo ran >> " + harness.file("ran")));
        long pid = lanes.start("single");
        held.awaitHit();
        eventually(
                "it is tried again",
                () -> lanes.process(pid, 1, 0).path("retry_count").asInt() >= 1);
        held.release();
        eventually(
                "it completes", () -> lanes.run(pid).path("status").asString().equals("finished"));
        assertThat(lines(harness, "ran")).as("the first never ran").hasSize(1);
        eventually(
                "its record says why", () -> uniIds(harness).toString().contains("start_timeout"));
    }

    @Test
    void aNamedLaneRunsOneTaskAfterAnotherAndRetriesAsOftenAsItSays(ServerHarness harness) {
        var api = harness.start();
        var note = "echo %s >> " + harness.file("named");
        long first =
                api.submit(
                        lane("sleep 0.3; " + note.formatted("one") + "; false")
                                .with("max_retries", 1));
        long second = api.submit(lane(note.formatted("two")));
        assertThat(api.awaitEnd(second).path("status").asString()).isEqualTo("completed");
        assertThat(api.task(first).path("retry_count").asInt()).isEqualTo(1);
        assertThat(lines(harness, "named")).containsExactly("one", "one", "two");
        assertThat(
                        api.client()
                                .post("/api/tasks", lane("true").with("lane", "a/b").body())
                                .expect(422)
                                .path("field")
                                .asString())
                .isEqualTo("lane");
    }

    private static TaskBuilder lane(String command) {
        return TaskBuilder.cpu(command).with("lane", "sweep");
    }

    // Vocabulary of these tests.

    /** One command per line. */
    static String block(int queue, String commands) {
        return queue + "\n" + commands + "\n1\n\n";
    }

    private static List<String> lines(ServerHarness harness, String name) {
        try {
            var file = harness.file(name);
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static JsonNode uniIds(ServerHarness harness) {
        var file = harness.home().resolve("logs/uni_id.json");
        return Files.exists(file)
                ? TestClient.JSON.readTree(text(file))
                : TestClient.JSON.createObjectNode();
    }

    private static String text(ServerHarness harness, String name) {
        return text(harness.file(name));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
