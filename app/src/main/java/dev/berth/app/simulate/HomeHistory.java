package dev.berth.app.simulate;

import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.TimestampText;
import dev.berth.simulator.replay.Schedule;
import dev.berth.simulator.replay.ScheduledJob;
import dev.berth.simulator.trace.Job;
import dev.berth.simulator.trace.JobNeed;
import dev.berth.wire.TaskSummary;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The ended tasks of a home that had GPUs, as a trace, with the starts that were recorded.
 *
 * @param gpus of the machine now
 */
record HomeHistory(List<Job> jobs, Schedule recorded, int gpus) {

    private static final Pattern NEXT_PAGE =
            Pattern.compile("<(/api/tasks\\?[^>\\s]*)>; rel=\"next\"");

    /** A task with its times in seconds since 1970. */
    private record Ran(TaskSummary task, long queuedS, long startedS, long endedS) {}

    /**
     * @param sinceS only tasks that were queued at this time or later, in seconds since 1970
     */
    static HomeHistory read(ServerConnection server, long sinceS) {
        var ran = new ArrayList<Ran>();
        var target = "/api/tasks?limit=1000&after=0";
        while (!target.isEmpty()) {
            var reply = server.get(target);
            add(server, reply, sinceS, ran);
            target = nextPage(reply);
        }
        if (ran.isEmpty()) {
            throw new CommandFailure("no task with a GPU has ended in this time");
        }
        int gpus = server.json(server.get("/api/gpus")) instanceof List<?> all ? all.size() : 0;
        return of(ran, gpus);
    }

    private static void add(ServerConnection server, ApiReply reply, long sinceS, List<Ran> to) {
        if (!(server.json(reply) instanceof List<?> tasks)) {
            throw new CommandFailure("the server sent no list of tasks");
        }
        for (var json : tasks) {
            var task = WireReader.taskSummary(json);
            var times = task.times();
            var queued =
                    TimestampText.parseEpochSecond(
                            times.queuedAt() == null ? times.createdAt() : times.queuedAt());
            var started = TimestampText.parseEpochSecond(times.startedAt());
            var ended = TimestampText.parseEpochSecond(times.finishedAt());
            boolean isWorker = task.header().source().equals("worker");
            if (gpus(task) > 0
                    && !isWorker
                    && queued.orElse(-1) >= sinceS
                    && started.isPresent()
                    && ended.isPresent()) {
                to.add(
                        new Ran(
                                task,
                                Math.min(queued.getAsLong(), started.getAsLong()),
                                started.getAsLong(),
                                ended.getAsLong()));
            }
        }
    }

    private static HomeHistory of(List<Ran> ran, int gpus) {
        ran.sort(Comparator.comparingLong(Ran::queuedS).thenComparingLong(one -> one.task().id()));
        long firstS = ran.getFirst().queuedS();
        var recorded = new ArrayList<ScheduledJob>();
        for (var one : ran) {
            var job =
                    new Job(
                            recorded.size(),
                            Long.toString(one.task().id()),
                            one.task().header().owner(),
                            one.task().name(),
                            one.queuedS() - firstS,
                            Math.max(1, one.endedS() - one.startedS()),
                            JobNeed.ofGpus(gpus(one.task())));
            recorded.add(new ScheduledJob(job, one.startedS() - firstS));
        }
        return new HomeHistory(
                recorded.stream().map(ScheduledJob::job).toList(),
                new Schedule(recorded, 0, gpus),
                gpus);
    }

    private static int gpus(TaskSummary task) {
        var assigned = task.assignedGpus();
        if (assigned != null && !assigned.isEmpty()) {
            return assigned.size();
        }
        return task.header().devices().equals("cpu") ? 0 : task.gpuRequest().gpuCount();
    }

    private static String nextPage(ApiReply reply) {
        var link = NEXT_PAGE.matcher(reply.header("link"));
        return link.matches() ? link.group(1) : "";
    }
}
