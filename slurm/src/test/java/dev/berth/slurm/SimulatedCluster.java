package dev.berth.slurm;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ScriptReport;
import dev.berth.core.task.ShimProcess;
import dev.berth.port.Node;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A Slurm cluster in virtual time with the faults of a real one: after a crash its controller
 * forgets jobs, gives their ids again, starts jobs a second time, takes ended ones for running
 * ones, and kills. Hosts are drained and become unreachable. Files and processes survive all of
 * that.
 */
final class SimulatedCluster implements SlurmClient, AttemptFiles, HostProcesses, GpuNames {

    private static final Duration SAVE_INTERVAL = Duration.ofSeconds(5);
    private static final Pattern COMMAND =
            Pattern.compile("(?:needs (\\d+)M; )?sleep (\\d+); exit (\\d+)");
    private static final Pattern MEMORY = Pattern.compile("--mem=(\\d+)M");
    private static final int KILLED = 137;
    private static final Pattern SCRIPT = Pattern.compile("/tasks/(\\d+)\\.(\\d+)");
    static final int HOSTS = 4;
    static final int GPUS = 4;

    private final Random random;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Instant savedAt = now;
    private Instant controllerStart = now.minusSeconds(3600);
    private TreeMap<String, Job> jobs = new TreeMap<>();
    private TreeMap<String, Job> savedJobs = new TreeMap<>();
    private long nextJob = 1;
    private long savedNextJob = 1;
    private long nextPid = 100;
    private boolean isDown;
    private double failureRate;
    private Duration maxFileDelay = Duration.ZERO;
    private final TreeMap<AttemptId, Directory> directories = new TreeMap<>();
    private final TreeMap<String, AttemptId> marks = new TreeMap<>();
    private final TreeMap<Integer, Instant> drainedUntil = new TreeMap<>();

    /** The runs of commands: what the tests judge. */
    final List<Run> runs = new ArrayList<>();

    /** The memory of each job that stated it, in MiB, in the order of submits. */
    final List<Integer> memories = new ArrayList<>();

    int forgotten;
    int reusedIds;

    static final class Run {
        final AttemptId attempt;
        final int host;
        final List<Integer> gpus;
        final Instant from;
        final Instant planned;
        final int code;
        Optional<Instant> to = Optional.empty();
        boolean isFinished;

        Run(
                AttemptId attempt,
                int host,
                List<Integer> gpus,
                Instant from,
                Instant planned,
                int code) {
            this.attempt = attempt;
            this.host = host;
            this.gpus = gpus;
            this.from = from;
            this.planned = planned;
            this.code = code;
        }

        boolean isAlive() {
            return to.isEmpty();
        }
    }

    private record Job(
            String id,
            String name,
            String script,
            String state,
            int host,
            List<Integer> gpus,
            Instant start) {
        Job with(String other) {
            return new Job(id, name, script, other, host, gpus, start);
        }

        Job started(int where, List<Integer> cards, Instant at) {
            return new Job(id, name, script, "RUNNING", where, cards, at);
        }

        boolean isLive() {
            return state.equals("PENDING") || state.equals("RUNNING");
        }
    }

    private static final class Directory {
        String command = "";
        int gpus;
        int memoryMib = Integer.MAX_VALUE;
        boolean isOutOfMemory;
        boolean hadTooLittle;
        boolean isClosed;
        Optional<FileState.Started> start = Optional.empty();
        Optional<Integer> code = Optional.empty();

        /** When the server sees {@code go}, when its content, and when the exit record. */
        Instant goSeenAt = Instant.MIN;

        Instant startSeenAt = Instant.MIN;
        Instant codeSeenAt = Instant.MIN;
    }

    SimulatedCluster(long seed) {
        this.random = new Random(seed);
    }

    Instant now() {
        return now;
    }

    void setFailureRate(double rate) {
        failureRate = rate;
    }

    /**
     * The server sees what hosts write later than it is written, as on NFS. To create a file
     * exclusively is not delayed.
     */
    void delayFiles(Duration most) {
        maxFileDelay = most;
    }

    private Instant seenAfter(Instant written) {
        return maxFileDelay.isZero()
                ? written
                : written.plusMillis(random.nextLong(maxFileDelay.toMillis()));
    }

    private boolean isSeen(Instant from) {
        return !now.isBefore(from);
    }

    /** Time passes: the controller starts jobs, commands end. */
    void advance(Duration time) {
        now = now.plus(time);
        endRuns();
        if (isDown) {
            return;
        }
        if (!now.isBefore(savedAt.plus(SAVE_INTERVAL))) {
            save();
        }
        schedule();
    }

    private void save() {
        savedAt = now;
        savedJobs = new TreeMap<>(jobs);
        savedNextJob = nextJob;
    }

    private void endRuns() {
        for (var run : runs) {
            if (run.isAlive() && !now.isBefore(run.planned)) {
                end(run, Optional.of(run.code), true);
            }
        }
    }

    private void end(Run run, Optional<Integer> code, boolean isFinished) {
        run.to = Optional.of(now);
        run.isFinished = isFinished;
        directories.get(run.attempt).code = code;
        directories.get(run.attempt).codeSeenAt = seenAfter(now);
        if (code.isPresent()) {
            marks.values().removeIf(run.attempt::equals);
        }
        var job = directories.get(run.attempt).start.orElseThrow().place().job();
        if (!isDown
                && jobs.containsKey(job)
                && jobs.get(job).state().equals("RUNNING")
                && attemptOf(jobs.get(job).script()).equals(Optional.of(run.attempt))) {
            var state = code.orElse(1) == 0 ? "COMPLETED" : "FAILED";
            boolean isOutOfMemory = directories.get(run.attempt).isOutOfMemory;
            jobs.put(job, jobs.get(job).with(isOutOfMemory ? "OUT_OF_MEMORY" : state));
        }
    }

    private void schedule() {
        for (var job : List.copyOf(jobs.values())) {
            if (job.state().equals("PENDING")) {
                int host = random.nextInt(HOSTS);
                boolean isDrained = drainedUntil.getOrDefault(host, Instant.MIN).isAfter(now);
                var free = freeGpus(host);
                int wanted = attemptOf(job.script()).map(id -> directories.get(id).gpus).orElse(0);
                if (!isDrained && free.size() >= wanted) {
                    launch(job, host, free.subList(0, wanted));
                }
            }
        }
    }

    /** As the controller sees it, which may be wrong. */
    private List<Integer> freeGpus(int host) {
        var used = new TreeSet<Integer>();
        jobs.values().stream()
                .filter(job -> job.state().equals("RUNNING") && job.host() == host)
                .forEach(job -> used.addAll(job.gpus()));
        return IntStream.range(0, GPUS).filter(gpu -> !used.contains(gpu)).boxed().toList();
    }

    private void launch(Job job, int host, List<Integer> gpus) {
        for (var run : runs) {
            // "Duplicate jobid": the first job of this id on the host is killed.
            boolean isDuplicate =
                    run.isAlive()
                            && run.host == host
                            && directories
                                    .get(run.attempt)
                                    .start
                                    .orElseThrow()
                                    .place()
                                    .job()
                                    .equals(job.id());
            if (isDuplicate) {
                end(run, random.nextBoolean() ? Optional.of(143) : Optional.empty(), false);
                drainedUntil.put(host, now.plusSeconds(20));
            }
        }
        jobs.put(job.id(), job.started(host, gpus, now));
        var id = attemptOf(job.script()).orElseThrow();
        if (!shim(id, job.id(), host, gpus)) {
            jobs.put(job.id(), jobs.get(job.id()).with("FAILED"));
        }
    }

    /** What the shim does; false if it does not start the command. */
    private boolean shim(AttemptId id, String job, int host, List<Integer> gpus) {
        var directory = directories.get(id);
        boolean lacksGpus = controllerStart.plusSeconds(2).isAfter(now) && random.nextInt(4) == 0;
        boolean isOccupied =
                gpus.stream().anyMatch(gpu -> marks.containsKey("h" + host + "." + gpu));
        if (lacksGpus || isOccupied || directory.isClosed || directory.start.isPresent()) {
            return false;
        }
        gpus.forEach(gpu -> marks.put("h" + host + "." + gpu, id));
        var key = new ProcessKey("boot-" + host, nextPid++, 1);
        directory.start =
                Optional.of(
                        new FileState.Started(
                                new ShimProcess(key, now), new Place("h" + host, job, gpus)));
        directory.goSeenAt = seenAfter(now);
        directory.startSeenAt = seenAfter(directory.goSeenAt);
        Matcher command = COMMAND.matcher(directory.command);
        if (!command.find()) {
            throw new IllegalArgumentException(directory.command);
        }
        directory.isOutOfMemory =
                command.group(1) != null
                        && Integer.parseInt(command.group(1)) > directory.memoryMib;
        runs.add(
                new Run(
                        id,
                        host,
                        gpus,
                        now,
                        now.plusSeconds(Long.parseLong(command.group(2))),
                        directory.isOutOfMemory ? KILLED : Integer.parseInt(command.group(3))));
        return true;
    }

    /** kill -9 of the controller; it starts again with the state that it saved last. */
    void crash() {
        for (var job : jobs.values()) {
            forgotten += job.isLive() && !savedJobs.containsKey(job.id()) ? 1 : 0;
        }
        reusedIds += (int) (nextJob - savedNextJob);
        jobs = new TreeMap<>(savedJobs);
        nextJob = savedNextJob;
        controllerStart = now;
        // Hosts report jobs that the controller does not know or takes for waiting ones.
        for (var run : runs) {
            var job = jobs.get(directories.get(run.attempt).start.orElseThrow().place().job());
            boolean isKnown =
                    job != null
                            && job.state().equals("RUNNING")
                            && attemptOf(job.script()).equals(Optional.of(run.attempt));
            if (run.isAlive() && !isKnown && random.nextInt(2) == 0) {
                end(run, random.nextInt(3) > 0 ? Optional.of(143) : Optional.empty(), false);
            }
        }
    }

    void setDown(boolean isNow) {
        isDown = isNow;
    }

    void drain() {
        drain(random.nextInt(HOSTS), Duration.ofSeconds(30));
    }

    void drain(int host, Duration time) {
        drainedUntil.put(host, now.plus(time));
    }

    void resume(int host) {
        drainedUntil.remove(host);
    }

    void loseHost() {
        loseHost(random.nextInt(HOSTS));
    }

    /** Slurm calls the jobs of a host failed, while they run on. */
    void loseHost(int host) {
        drainedUntil.put(host, now.plusSeconds(60));
        jobs.replaceAll(
                (_, job) ->
                        job.state().equals("RUNNING") && job.host() == host
                                ? job.with("NODE_FAIL")
                                : job);
    }

    private void mayFail() throws SlurmFailure {
        if (isDown || random.nextDouble() < failureRate) {
            throw SlurmFailure.unreachable("does not answer");
        }
    }

    @Override
    public String submit(Path script, List<String> options, Optional<JobOwner> owner)
            throws SlurmFailure {
        mayFail();
        var id = Long.toString(nextJob++);
        var name = options.getFirst().substring("--job-name=".length());
        jobs.put(id, new Job(id, name, script.toString(), "PENDING", -1, List.of(), now));
        for (var option : options) {
            var memory = MEMORY.matcher(option);
            if (memory.matches()) {
                int mib = Integer.parseInt(memory.group(1));
                memories.add(mib);
                attemptOf(script.toString())
                        .ifPresent(attempt -> directories.get(attempt).memoryMib = mib);
            }
        }
        // The answer may be lost.
        mayFail();
        return id;
    }

    @Override
    public List<SlurmJob> jobs(SortedSet<Integer> uids) throws SlurmFailure {
        mayFail();
        return jobs.values().stream()
                .map(
                        job ->
                                new SlurmJob(
                                        job.id(),
                                        job.state(),
                                        "None",
                                        Optional.of(job.start()),
                                        job.host() < 0 ? "" : "h" + job.host(),
                                        0,
                                        job.script()))
                .toList();
    }

    @Override
    public List<SlurmJob> jobs(JobOwner owner) throws SlurmFailure {
        return jobs(new TreeSet<>());
    }

    @Override
    public void cancel(String id, String name, Optional<JobOwner> owner) throws SlurmFailure {
        mayFail();
        var job = jobs.get(id);
        if (job == null || !job.name().equals(name) || !job.isLive()) {
            return;
        }
        jobs.put(id, job.with("CANCELLED"));
        var attempt = attemptOf(job.script());
        // The process of a job that it takes for waiting runs on.
        boolean isSeenRunning = job.state().equals("RUNNING");
        for (var run : runs) {
            if (isSeenRunning
                    && run.isAlive()
                    && attempt.equals(Optional.of(run.attempt))
                    && directories.get(run.attempt).start.orElseThrow().place().job().equals(id)) {
                end(run, Optional.of(143), false);
            }
        }
    }

    @Override
    public Instant controllerStart() throws SlurmFailure {
        mayFail();
        return controllerStart;
    }

    @Override
    public ClusterSettings settings() {
        return new ClusterSettings("simulated", "proctrack/cgroup", false);
    }

    @Override
    public void resume(String host) {}

    @Override
    public void reconfigure() {}

    @Override
    public List<SlurmNode> nodes() {
        return List.of();
    }

    @Override
    public List<ForeignJob> runningJobs() {
        return List.of();
    }

    @Override
    public void prepare(Node.Launch order) {
        var directory = directories.computeIfAbsent(order.attempt().id(), _ -> new Directory());
        directory.command = order.spec().script().text().command();
        directory.gpus =
                order.spec().requirements().need() instanceof Need.Gpus need
                        ? need.count().min()
                        : 0;
    }

    @Override
    public OptionalInt owner(AttemptId id) {
        return OptionalInt.empty();
    }

    @Override
    public Path script(AttemptId id) {
        return Path.of("/tasks/" + id);
    }

    @Override
    public Optional<AttemptId> attemptOf(String script) {
        var found = SCRIPT.matcher(script);
        return found.matches()
                ? Optional.of(
                        new AttemptId(
                                new TaskId(Long.parseLong(found.group(1))),
                                Integer.parseInt(found.group(2))))
                : Optional.empty();
    }

    @Override
    public FileState read(AttemptId id) {
        var directory = directories.computeIfAbsent(id, _ -> new Directory());
        var start = directory.start.filter(_ -> isSeen(directory.startSeenAt));
        if (directory.code.isPresent() && isSeen(directory.codeSeenAt)) {
            return new FileState.Exited(directory.code.get(), start);
        }
        if (start.isPresent()) {
            return start.get();
        }
        if (directory.start.isPresent() && isSeen(directory.goSeenAt)) {
            return new FileState.Starting();
        }
        return directory.isClosed ? new FileState.Prevented() : new FileState.NotStarted();
    }

    @Override
    public boolean preventStart(AttemptId id) {
        var directory = directories.computeIfAbsent(id, _ -> new Directory());
        if (directory.isClosed || directory.start.isPresent()) {
            return false;
        }
        directory.isClosed = true;
        return true;
    }

    @Override
    public void recordMemoryShortage(AttemptId id) {
        directories.get(id).hadTooLittle = true;
    }

    /** As the files of earlier attempts say. */
    int memoryShortages(TaskId task) {
        return (int)
                directories.entrySet().stream()
                        .filter(entry -> entry.getKey().task().equals(task))
                        .filter(entry -> entry.getValue().hadTooLittle)
                        .count();
    }

    @Override
    public AttemptFindings findings(AttemptId id, Ending ending) {
        return AttemptFindings.NONE;
    }

    @Override
    public void releaseGpus(Predicate<GpuMark> isHeld) {
        marks.entrySet()
                .removeIf(
                        mark -> !isHeld.test(new GpuMark(mark.getKey(), mark.getValue(), 0, now)));
    }

    @Override
    public Presence look(AttemptId id, FileState.Started start) {
        if (random.nextInt(4) == 0) {
            return Presence.UNKNOWN;
        }
        return runs.stream().anyMatch(run -> run.attempt.equals(id) && run.isAlive())
                ? Presence.ALIVE
                : Presence.GONE;
    }

    @Override
    public void end(AttemptId id, FileState.Started start) {
        for (var run : runs) {
            if (run.attempt.equals(id) && run.isAlive()) {
                end(run, Optional.of(143), false);
            }
        }
    }

    @Override
    public List<Gpu> gpus(String host, List<Integer> indices) {
        return indices.stream()
                .map(index -> new Gpu(new GpuId(host, host + ":" + index), index, "a100", 0))
                .toList();
    }

    @Override
    public void notStartedOn(String host, TaskId task) {}

    @Override
    public Optional<ScriptReport> report(String key) {
        return Optional.empty();
    }
}
