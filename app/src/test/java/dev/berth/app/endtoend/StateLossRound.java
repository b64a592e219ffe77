package dev.berth.app.endtoend;

import static dev.berth.app.endtoend.StateLossTest.await;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** A home with eight running and two waiting tasks, one fault, and the way back to a server. */
final class StateLossRound {

    private static final int RUNNING = 8;
    private static final int WAITING = 2;
    private static final Pattern LOST = Pattern.compile("lost: tasks ([\\d–, ]+)\\.");
    private static final Set<String> FINAL = Set.of("completed", "failed", "cancelled");

    private final ServerHarness harness;
    private final Random random;
    private final Map<Long, String> acknowledged = new TreeMap<>();
    private final StringBuilder told = new StringBuilder();
    private String outcome = "went on";

    StateLossRound(ServerHarness harness, Random random) {
        this.harness = harness.simulatedGpus(RUNNING);
        this.random = random;
    }

    void run(StateFault fault) {
        try {
            begin();
            if (!fault.isServerRunning()) {
                harness.kill();
            }
            long task = acknowledged.keySet().iterator().next() + random.nextInt(RUNNING);
            fault.apply(harness.home(), older(), task, random);
            if (fault.isServerRunning()) {
                submitMore();
                harness.kill();
            }
            comeBack();
            finish();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String outcome() {
        return outcome;
    }

    private Path older() {
        return harness.file("older");
    }

    private void begin() throws IOException {
        var api = harness.start();
        api.awaitEnd(api.submit(TaskBuilder.cpu("true")));
        harness.kill();
        Files.createDirectories(older());
        for (var name : StateFault.DATABASE_FILES) {
            copyOlder(harness.home().resolve("runtime").resolve(name));
        }
        copyOlder(harness.home().resolve("generation"));
        harness.start();
        for (int i = 0; i < RUNNING + WAITING; i++) {
            submit(harness.api(), "task" + i);
        }
        await("all run", () -> lines("starts").size() == RUNNING);
        // Some faults hit an attempt whose start is stored, some one whose start is not.
        harness.server().endsWithin(Duration.ofMillis(random.nextInt(300)));
    }

    private void copyOlder(Path file) throws IOException {
        if (Files.exists(file)) {
            Files.copy(file, older().resolve(file.getFileName().toString()));
        }
    }

    private void submit(TestApi api, String name) {
        acknowledged.put(api.submit(order(name)), name);
    }

    /** Each task checks by itself whether it is alone, and on a GPU of its own. */
    private TaskBuilder order(String name) {
        var script =
                """
                cd DIR
                for held in gpu$CUDA_VISIBLE_DEVICES NAME.pid; do
                  if [[ -e $held ]] && kill -0 "$(<$held)" 2>/dev/null; then echo "NAME finds $held" >>violations; fi
                  echo $$ >$held
                done
                echo NAME >>starts
                until [[ -e gate ]]; do sleep 0.1; done
                """;
        return TaskBuilder.oneGpu(
                        script.replace("DIR", harness.file("").toString()).replace("NAME", name))
                .named(name);
    }

    /** A server with a fault may refuse; what it acknowledges counts. */
    private void submitMore() {
        for (int i = 0; i < 3; i++) {
            var name = "more" + i;
            try {
                var reply = harness.api().client().post("/api/tasks", order(name).body());
                if (reply.status() == 201) {
                    acknowledged.put(reply.json().path("id").asLong(), name);
                }
            } catch (UncheckedIOException ended) {
                return;
            }
            harness.server().endsWithin(Duration.ofMillis(random.nextInt(600)));
        }
    }

    /** Starts a server as an operator would who follows what it prints. */
    private void comeBack() throws IOException {
        for (int tries = 0; tries < 4; tries++) {
            var server = harness.launch();
            await("ready or ended", () -> !server.isAlive() || server.stdout().endsWith("\n"));
            if (server.isAlive()) {
                harness.attach(server.awaitReady());
                return;
            }
            told.append(server.stderr());
            recover();
        }
        throw new AssertionError("no server starts on this home:\n" + told);
    }

    private void recover() throws IOException {
        outcome = "recovered";
        if (told.toString().contains("is damaged")) {
            outcome = "recovered from a backup";
        }
        var arguments =
                outcome.endsWith("backup")
                        ? new String[] {"--from", older().resolve("tasks.db").toString()}
                        : new String[0];
        var command = harness.command("recover", arguments);
        var printed = command.stdout() + command.stderr();
        told.append(printed);
        if (printed.contains("Run this command again when these processes have ended")) {
            outcome = "waited for processes";
            openGate();
            await("they end", () -> harness.leftovers().isEmpty());
        }
    }

    private void openGate() {
        TaskLifecycleTest.touch(harness.file("gate"));
    }

    private void finish() throws IOException {
        var api = harness.api();
        if (!api.client().get("/api/scheduler").json().path("running").asBoolean()) {
            harness.run("scheduler", "start");
        }
        // Time to start a second copy, or to give a GPU away.
        harness.server().endsWithin(Duration.ofMillis(800));
        openGate();
        await(
                "all known tasks have ended",
                () ->
                        api.tasks().stream()
                                .peek(this::cancelLost)
                                .allMatch(task -> FINAL.contains(task.path("status").asString())));
    }

    private void cancelLost(JsonNode task) {
        if (Set.of("lost", "stuck").contains(task.path("phase").asString())) {
            harness.api().cancel(task.path("id").asLong());
        }
    }

    List<String> violations() {
        var found = new ArrayList<>(lines("violations"));
        var counts = new TreeMap<String, Integer>();
        lines("starts").forEach(name -> counts.merge(name, 1, Integer::sum));
        counts.forEach(
                (name, count) -> {
                    if (count > 1) {
                        found.add(name + " started " + count + " times");
                    }
                });
        var named = namedAsLost();
        acknowledged.forEach(
                (id, name) -> {
                    var reply = harness.api().client().get("/api/tasks/" + id);
                    boolean isKnown =
                            reply.status() == 200
                                    && reply.json().path("name").asString().equals(name);
                    if (!isKnown
                            && !named.contains(id)
                            && !told.toString().contains("Task " + id)) {
                        found.add("task " + id + " (" + name + ") is silently gone");
                    }
                });
        return found;
    }

    private Set<Long> namedAsLost() {
        var ids = new TreeSet<Long>();
        var matcher = LOST.matcher(told);
        while (matcher.find()) {
            for (var range : matcher.group(1).split(", ")) {
                var ends = range.split("–");
                for (long id = Long.parseLong(ends[0]);
                        id <= Long.parseLong(ends[ends.length - 1]);
                        id++) {
                    ids.add(id);
                }
            }
        }
        return ids;
    }

    private List<String> lines(String name) {
        try {
            var file = harness.file(name);
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
