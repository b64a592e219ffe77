package dev.berth.cli.command.server;

import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.command.gpu.GpuWords;
import dev.berth.cli.command.task.QueueText;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.TimestampText;
import dev.berth.wire.GpuInfo;
import dev.berth.wire.Health;
import dev.berth.wire.Queue;
import dev.berth.wire.Reason;
import dev.berth.wire.ServerInfo;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Checks the parts of a server one by one. A part that does not answer counts as failed. */
final class HealthChecks {

    /** Name of the check of the GPUs in JSON. */
    static final String GPUS = "cards";

    /** The result for one part. */
    record CheckResult(String name, boolean ok, String detail) {}

    private final ServerConnection connection;
    private final long now;
    private final List<CheckResult> findings = new ArrayList<>();

    /**
     * @param now in seconds since 1970
     */
    HealthChecks(ServerConnection connection, long now) {
        this.connection = connection;
        this.now = now;
    }

    List<CheckResult> all() {
        check("server", this::server);
        check("queue", this::queue);
        check(GPUS, this::gpus);
        check("problem", this::problems);
        return findings;
    }

    private void check(String name, Runnable check) {
        try {
            check.run();
        } catch (CommandFailure refused) {
            findings.add(new CheckResult(name, false, refused.getMessage()));
        }
    }

    private void server() {
        ServerInfo server = WireReader.serverInfo(connection.json(connection.get("/api/server")));
        OptionalLong started = TimestampText.parseEpochSecond(server.startedAt());
        String age =
                started.isEmpty() ? "" : ", up " + DurationText.brief(now - started.getAsLong());
        String users = "system".equals(server.mode()) ? ", for all users of this machine" : "";
        String choice = connection.choice();
        if (choice != null) {
            users += "; " + choice;
        }
        findings.add(
                new CheckResult(
                        "server",
                        true,
                        "version " + server.version() + ", pid " + server.pid() + age + users));
    }

    private void queue() {
        Queue queue = WireReader.queue(connection.json(connection.get("/api/queue?limit=1")));
        Reason paused = queue.paused();
        boolean stopped = paused != null && paused.code().equals("paused.stopped");
        findings.add(
                new CheckResult(
                        "scheduler",
                        queue.schedulerRunning() && paused == null,
                        QueueText.scheduler(queue)
                                + (stopped ? " `berth scheduler start` starts it" : "")));
        String wait = QueueText.longestWait(queue);
        findings.add(
                new CheckResult(
                        "queue",
                        queue.waitingTooLong() == 0,
                        QueueText.counts(queue) + (wait.isEmpty() ? "" : ", " + wait)));
    }

    private void gpus() {
        if (!(connection.json(connection.get("/api/gpus")) instanceof List<?> all)) {
            throw new CommandFailure("the server sent no list of GPUs");
        }
        List<String> faulty = new ArrayList<>();
        List<String> quarantined = new ArrayList<>();
        for (Object item : all) {
            GpuInfo gpu = WireReader.gpuInfo(item);
            if (GpuWords.isQuarantined(gpu)) {
                quarantined.add(described(gpu));
            } else if (gpu.status().equals("unknown") || gpu.status().equals("error")) {
                faulty.add(described(gpu));
            }
        }
        // A person quarantined them: that is shown, and no fault.
        List<String> lines = new ArrayList<>(faulty);
        if (faulty.isEmpty()) {
            lines.add(all.isEmpty() ? "none here" : all.size() + " read");
        }
        lines.addAll(quarantined);
        findings.add(new CheckResult(GPUS, faulty.isEmpty(), String.join("; ", lines)));
    }

    private static String described(GpuInfo gpu) {
        String why = gpu.why() == null ? "" : ": " + gpu.why();
        return "GPU " + gpu.identity().index() + " " + GpuWords.status(gpu) + why;
    }

    /** The problems that the server itself reports. No line if there are none. */
    private void problems() {
        // An unhealthy server replies with an error status and a usable body.
        Health health =
                WireReader.health(
                        connection.json(connection.sendUnchecked(ApiRequest.get("/api/health"))));
        if (health.status().equals("ok")) {
            return;
        }
        List<String> problems = health.problems();
        if (problems == null) {
            throw new CommandFailure("the server says '" + health.status() + "', and not why");
        }
        for (String problem : problems) {
            findings.add(new CheckResult("problem", false, problem));
        }
    }
}
