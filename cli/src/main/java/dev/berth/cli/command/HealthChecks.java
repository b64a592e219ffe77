package dev.berth.cli.command;

import dev.berth.cli.call.Refused;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.QueueReader;
import dev.berth.cli.link.Request;
import dev.berth.cli.link.WireReader;
import dev.berth.cli.text.Age;
import dev.berth.cli.text.Moment;
import dev.berth.wire.GpuInfo;
import dev.berth.wire.Health;
import dev.berth.wire.Queue;
import dev.berth.wire.Reason;
import dev.berth.wire.ServerInfo;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Asks a server part by part how it is. A part that does not answer is not well. */
final class HealthChecks {

    /** What came out for one part. */
    record Finding(String name, boolean ok, String detail) {}

    private final Link link;
    private final long now;
    private final List<Finding> findings = new ArrayList<>();

    /**
     * @param now in seconds since 1970
     */
    HealthChecks(Link link, long now) {
        this.link = link;
        this.now = now;
    }

    List<Finding> all() {
        check("server", this::server);
        check("queue", this::queue);
        check("cards", this::cards);
        check("problem", this::problems);
        return findings;
    }

    private void check(String name, Runnable check) {
        try {
            check.run();
        } catch (Refused refused) {
            findings.add(new Finding(name, false, refused.getMessage()));
        }
    }

    private void server() {
        ServerInfo server = WireReader.server(link.json(link.get("/api/server")));
        OptionalLong started = Moment.epochSecond(server.startedAt());
        String age = started.isEmpty() ? "" : ", up " + Age.brief(now - started.getAsLong());
        findings.add(
                new Finding(
                        "server",
                        true,
                        "version " + server.version() + ", pid " + server.pid() + age));
    }

    private void queue() {
        Queue queue = QueueReader.queue(link.json(link.get("/api/queue?limit=1")));
        Reason paused = queue.paused();
        boolean stopped = paused != null && paused.code().equals("paused.stopped");
        findings.add(
                new Finding(
                        "scheduler",
                        queue.schedulerRunning() && paused == null,
                        QueueText.scheduler(queue)
                                + (stopped ? " `berth scheduler start` ends that" : "")));
        String wait = QueueText.longestWait(queue);
        findings.add(
                new Finding(
                        "queue",
                        queue.waitingTooLong() == 0,
                        QueueText.counts(queue) + (wait.isEmpty() ? "" : ", " + wait)));
    }

    private void cards() {
        if (!(link.json(link.get("/api/gpus")) instanceof List<?> all)) {
            throw new Refused("the server sent no list of GPUs");
        }
        List<String> bad = new ArrayList<>();
        for (Object one : all) {
            GpuInfo gpu = WireReader.gpu(one);
            boolean readable = !gpu.status().equals("unknown") && !gpu.status().equals("error");
            if (!readable) {
                String why = gpu.why();
                bad.add(
                        "GPU "
                                + gpu.index()
                                + " "
                                + gpu.status()
                                + (why == null ? "" : ": " + why));
            }
        }
        String read = all.isEmpty() ? "none here" : all.size() + " read";
        findings.add(
                new Finding("cards", bad.isEmpty(), bad.isEmpty() ? read : String.join("; ", bad)));
    }

    /** What the server itself says is wrong; there is no line where it says nothing. */
    private void problems() {
        // Not being well is an answer too.
        Health health = WireReader.health(link.json(link.askAnyway(Request.get("/api/health"))));
        if (health.status().equals("ok")) {
            return;
        }
        List<String> problems = health.problems();
        if (problems == null) {
            throw new Refused("the server says '" + health.status() + "', and not why");
        }
        for (String problem : problems) {
            findings.add(new Finding("problem", false, problem));
        }
    }
}
