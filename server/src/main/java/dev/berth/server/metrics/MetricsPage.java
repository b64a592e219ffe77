package dev.berth.server.metrics;

import dev.berth.engine.State;
import dev.berth.engine.port.Event.Kind;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.TreeMap;

/**
 * All families, in the order in which they are read. Their names are what dashboards and alerts ask
 * for: they do not change.
 */
public final class MetricsPage {

    public static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private static final String ALERT = "alert.";

    private final Figures figures;
    private final String version;

    public MetricsPage(Figures figures, String version) {
        this.figures = figures;
        this.version = version;
    }

    public byte[] of(Look look) {
        var out = new Exposition();
        queue(out, look);
        launches(out);
        new CardMetrics(out, look.state()).write(figures.cardTasks);
        tasks(out, look.state());
        users(out, look);
        health(out, look);
        door(out, look.listening());
        ProcessMetrics.write(out);
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void queue(Exposition out, Look look) {
        out.gauge("scheduler_queue_size", "Tasks that wait.").add(look.state().waiting().size());
        var classes = out.gauge("berth_queue_tasks", "Tasks that wait, by their priority.");
        look.priorities().forEach((name, count) -> classes.add(count, "priority", name));
        out.gauge(
                        "berth_queue_longest_wait_seconds",
                        "How long the task has waited that waits longest, 0 where none waits.")
                .add(seconds(look.longestWait()));
        out.histogram(
                "scheduler_queue_wait_seconds",
                "How long tasks had waited when they were given their cards.",
                figures.waits);
    }

    private void launches(Exposition out) {
        out.counter("scheduler_schedule_total", "Tasks that were given their cards.")
                .add(figures.times(Kind.ATTEMPT_GRANTED));
        out.counter(
                        "scheduler_schedule_failures",
                        "Tasks that were given their cards and did not begin.")
                .add(figures.neverStarted() + figures.failedLaunches());
        out.counter("berth_launches_total", "Starts, by what came of them.")
                .add(figures.times(Kind.ATTEMPT_STARTED), "result", "started")
                .add(figures.neverStarted(), "result", "never_started")
                .add(figures.failedLaunches(), "result", "failed");
    }

    private void tasks(Exposition out, State state) {
        out.gauge("berth_tasks_running", "Tasks that have been started and have not ended.")
                .add(running(state));
        out.counter("berth_tasks_ended_total", "Tasks that have ended, by how.")
                .add(figures.times(Kind.TASK_COMPLETED), "outcome", "completed")
                .add(figures.times(Kind.TASK_FAILED), "outcome", "failed")
                .add(figures.times(Kind.TASK_CANCELLED), "outcome", "cancelled");
        var alerts = out.counter("berth_alerts_total", "Alerts that were raised, by their type.");
        for (var kind : Kind.values()) {
            if (kind.word().startsWith(ALERT)) {
                alerts.add(figures.times(kind), "type", kind.word().substring(ALERT.length()));
            }
        }
    }

    private static int running(State state) {
        return state.tasks().size() - state.waiting().size() - state.drafts().total();
    }

    private void users(Exposition out, Look look) {
        var had = figures.cardTime.by(look.now());
        var running = new TreeMap<String, Integer>();
        had.keySet().forEach(user -> running.put(user, 0));
        look.state()
                .attempts()
                .values()
                .flatMap(attempt -> look.state().tasks().get(attempt.id().task()).stream())
                .forEach(
                        task ->
                                running.merge(
                                        figures.cardTime.label(task.owner()), 1, Integer::sum));
        var seconds =
                out.counter(
                        "berth_user_gpu_seconds_total",
                        "Time that cards were held by the user's tasks, times the cards.");
        had.forEach((user, time) -> seconds.add(time, "user", user));
        var counts = out.gauge("berth_user_running", "The user's tasks that run.");
        running.forEach((user, count) -> counts.add(count, "user", user));
    }

    private void health(Exposition out, Look look) {
        out.gauge(
                        "berth_scheduler_running",
                        "1 while tasks are started, 0 while the scheduler is stopped or pauses.")
                .add(look.isStarting() ? 1 : 0);
        out.gauge("berth_store_up", "1 if the last commit was kept, 0 if it failed.")
                .add(look.isStoring() ? 1 : 0);
        out.histogram("berth_pass_seconds", "Time one pass of the planner took.", figures.passes);
        out.histogram("berth_commit_seconds", "Time one commit took.", figures.commits);
        var disk =
                out.gauge("berth_disk_free_bytes", "Free space on the disk that holds the logs.");
        look.diskFreeBytes().ifPresent(disk::add);
    }

    private void door(Exposition out, Look.Listening listening) {
        out.gauge(
                        "berth_event_lag_seconds",
                        "How far the event stream is behind the commits, 0 while nobody listens.")
                .add(seconds(listening.lag()));
        out.gauge("berth_stream_clients", "Those who follow the event stream.")
                .add(listening.clients());
        var answers = out.counter("berth_http_requests_total", "Requests, by the answer's status.");
        figures.answers.all().forEach((code, count) -> answers.add(count, "code", code));
        out.gauge("berth_build_info", "Always 1, with the version of this server.")
                .add(1, "version", version);
    }

    private static double seconds(Duration time) {
        return Math.max(0, time.toNanos()) / 1e9;
    }
}
