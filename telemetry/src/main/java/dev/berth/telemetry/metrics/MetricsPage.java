package dev.berth.telemetry.metrics;

import dev.berth.engine.EngineState;
import dev.berth.port.event.AlertPayload;
import dev.berth.port.event.AttemptPayload;
import dev.berth.port.event.EventCodec;
import dev.berth.port.event.TaskPayload;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Writes all metrics. Dashboards and alert rules refer to their names, which must not change. */
public final class MetricsPage {

    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final EventMetrics figures;
    private final String version;
    private final Supplier<Optional<Instant>> lastBackup;

    public MetricsPage(
            EventMetrics figures, String version, Supplier<Optional<Instant>> lastBackup) {
        this.figures = figures;
        this.version = version;
        this.lastBackup = lastBackup;
    }

    public byte[] render(MetricsSnapshot look) {
        var out = new PrometheusText();
        queue(out, look);
        launches(out);
        new GpuMetrics(out, look.state()).write(figures.gpuTasks);
        ModelMetrics.write(out, look.state());
        tasks(out, look.state());
        users(out, look);
        health(out, look);
        http(out, look.streamClients());
        ProcessMetrics.write(out);
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void queue(PrometheusText out, MetricsSnapshot look) {
        int queued = look.state().waiting().size() + look.state().handed();
        out.gauge("scheduler_queue_size", "Waiting tasks.").add(queued);
        var classes = out.gauge("berth_queue_tasks", "Waiting tasks by priority.");
        look.waitingByPriority().forEach((name, count) -> classes.add(count, "priority", name));
        out.gauge(
                        "berth_queue_longest_wait_seconds",
                        "Longest wait of a waiting task, 0 if none waits.")
                .add(seconds(look.longestWait()));
        out.gauge(
                        "berth_task_memory_bytes",
                        "Estimated memory of all unfinished tasks; submits are refused beyond a"
                                + " limit.")
                .add(look.state().taskBytes());
        out.histogram(
                "scheduler_queue_wait_seconds",
                "Wait time of tasks until they were scheduled.",
                figures.waitSeconds);
    }

    private void launches(PrometheusText out) {
        out.counter("scheduler_schedule_total", "Tasks that were scheduled.")
                .add(figures.countOf(AttemptPayload.AttemptScheduled.class));
        out.counter("scheduler_schedule_failures", "Tasks that were scheduled and did not start.")
                .add(figures.neverStarted() + figures.machineFaults() + figures.failedLaunches());
        out.counter("berth_launches_total", "Launches by result.")
                .add(figures.countOf(AttemptPayload.AttemptStarted.class), "result", "started")
                .add(figures.neverStarted(), "result", "never_started")
                .add(figures.machineFaults(), "result", "machine_fault")
                .add(figures.failedLaunches(), "result", "failed");
    }

    private void tasks(PrometheusText out, EngineState state) {
        out.gauge("berth_tasks_running", "Running tasks.").add(running(state));
        var phases = out.gauge("berth_attempts", "Live attempts by phase.");
        phases(state).forEach((phase, count) -> phases.add(count, "phase", phase));
        out.counter("berth_tasks_ended_total", "Ended tasks by outcome.")
                .add(figures.countOf(TaskPayload.TaskCompleted.class), "outcome", "completed")
                .add(figures.countOf(TaskPayload.TaskFailed.class), "outcome", "failed")
                .add(figures.countOf(TaskPayload.TaskCancelled.class), "outcome", "cancelled");
        var alerts = out.counter("berth_alerts_total", "Alerts by type.");
        for (var type : EventCodec.types()) {
            if (AlertPayload.class.isAssignableFrom(type)) {
                var word = EventCodec.kindOf(type).substring(AlertPayload.PREFIX.length());
                alerts.add(figures.countOf(type), "type", word);
            }
        }
    }

    /** With a zero for each phase, so that an alert rule always finds its series. */
    private static Map<String, Integer> phases(EngineState state) {
        var counts = new TreeMap<String, Integer>();
        for (var phase : List.of("starting", "running", "stopping", "lost", "stuck")) {
            counts.put(phase, 0);
        }
        state.attempts()
                .values()
                .forEach(attempt -> counts.merge(attempt.phase().apiName(), 1, Integer::sum));
        return counts;
    }

    private static int running(EngineState state) {
        return state.running();
    }

    private void users(PrometheusText out, MetricsSnapshot look) {
        var had = figures.userGpuTime.secondsByUser(look.now());
        var running = new TreeMap<String, Integer>();
        had.keySet().forEach(user -> running.put(user, 0));
        look.state()
                .attempts()
                .values()
                .flatMap(attempt -> look.state().tasks().get(attempt.id().task()).stream())
                .forEach(
                        task ->
                                running.merge(
                                        figures.userGpuTime.labelOf(task.owner()),
                                        1,
                                        Integer::sum));
        var seconds = out.counter("berth_user_gpu_seconds_total", "GPU time of the user's tasks.");
        had.forEach((user, time) -> seconds.add(time, "user", user));
        var counts = out.gauge("berth_user_running", "Running tasks of the user.");
        running.forEach((user, count) -> counts.add(count, "user", user));
    }

    private void health(PrometheusText out, MetricsSnapshot look) {
        out.gauge(
                        "berth_scheduler_running",
                        "1 while tasks are started, 0 while the scheduler is stopped or pauses.")
                .add(look.isSchedulerRunning() ? 1 : 0);
        out.gauge("berth_store_up", "1 if the last commit was kept, 0 if it failed.")
                .add(look.isStoreUp() ? 1 : 0);
        out.histogram(
                "berth_pass_seconds", "Time one pass of the planner took.", figures.passSeconds);
        out.histogram("berth_commit_seconds", "Time one commit took.", figures.commitSeconds);
        var disk =
                out.gauge("berth_disk_free_bytes", "Free space on the disk that holds the logs.");
        look.diskFreeBytes().ifPresent(disk::add);
        var backup =
                out.gauge(
                        "berth_last_backup_timestamp_seconds",
                        "Time of the newest backup of the database, in seconds since 1970.");
        lastBackup.get().ifPresent(at -> backup.add(at.getEpochSecond()));
    }

    private void http(PrometheusText out, MetricsSnapshot.StreamClients listening) {
        out.gauge(
                        "berth_event_lag_seconds",
                        "Delay of the event stream behind the commits, 0 without clients.")
                .add(seconds(listening.lag()));
        out.gauge("berth_stream_clients", "Connected clients of the event stream.")
                .add(listening.clients());
        var answers = out.counter("berth_http_requests_total", "Requests by response status.");
        figures.responses.all().forEach((code, count) -> answers.add(count, "code", code));
        out.gauge("berth_build_info", "Always 1, with the version of this server.")
                .add(1, "version", version);
    }

    private static double seconds(Duration time) {
        return Math.max(0, time.toNanos()) / 1e9;
    }
}
