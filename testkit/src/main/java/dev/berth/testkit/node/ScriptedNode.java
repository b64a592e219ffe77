package dev.berth.testkit.node;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ScriptReport;
import dev.berth.core.task.ShimProcess;
import dev.berth.port.Fact;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Every attempt starts at once, runs until the test ends it, and stops on request. */
public final class ScriptedNode extends FakeNode {

    public static final String MODEL = "Simulated 24G";
    public static final long TOTAL_MIB = 24_000;

    private final Function<String, Optional<ScriptReport>> reports;
    private final Map<AttemptId, String> reportKeys = new ConcurrentHashMap<>();

    public ScriptedNode(Consumer<Fact> facts) {
        this(facts, _ -> Optional.empty());
    }

    /**
     * @param reports what a script reported about its own end, by its key
     */
    public ScriptedNode(Consumer<Fact> facts, Function<String, Optional<ScriptReport>> reports) {
        super("here", "boot", facts);
        this.reports = reports;
    }

    @Override
    public void launch(Launch order) {
        super.launch(order);
        order.reportKey().ifPresent(key -> reportKeys.put(order.attempt().id(), key));
        var process = new ProcessKey(bootId(), pid(order.attempt().id().task()), 1);
        observe(
                new Fact.Started(
                        order.attempt().id(),
                        new ShimProcess(process, Instant.parse("2025-11-15T08:00:00.25Z"))));
    }

    @Override
    public void adopt(Attempt attempt, Optional<Duration> timeLimit, Optional<String> reportKey) {
        super.adopt(attempt, timeLimit, reportKey);
        observe(new Fact.Lost(attempt.id(), "not scripted"));
    }

    @Override
    public void stop(AttemptId attempt) {
        super.stop(attempt);
        end(attempt, 143);
    }

    public static long pid(TaskId task) {
        return 4000 + task.value();
    }

    public void neverStarted(AttemptId attempt) {
        observe(new Fact.Ended(attempt, new Ending.NeverStarted(), List.of()));
    }

    public void end(AttemptId attempt, int code) {
        end(attempt, code, AttemptFindings.NONE);
    }

    public void end(AttemptId attempt, int code, AttemptFindings findings) {
        var report = Optional.ofNullable(reportKeys.get(attempt)).flatMap(reports);
        observe(
                new Fact.Ended(
                        attempt, new Ending.Exited(code), List.of(), true, findings, report));
    }

    public void diskSpace(boolean isLow, long freeMib) {
        observe(new Fact.DiskSpaceRead(name(), isLow, freeMib));
    }

    /** All GPUs idle, except for the memory in use on the first ones. */
    public void read(int cards, long... usedMib) {
        observe(
                new Fact.GpusRead(
                        name(),
                        IntStream.range(0, cards)
                                .mapToObj(
                                        index ->
                                                readable(
                                                        index,
                                                        index < usedMib.length
                                                                ? usedMib[index]
                                                                : 0))
                                .toList()));
    }

    public void tell(GpuState... states) {
        observe(new Fact.GpusRead(name(), List.of(states)));
    }

    public static GpuState readable(int index, long usedMib) {
        return new GpuState.Readable(
                card(index),
                new GpuReading(
                        OptionalLong.of(usedMib),
                        OptionalLong.of(TOTAL_MIB - usedMib),
                        OptionalInt.of(7),
                        OptionalInt.of(40 + index)));
    }

    public static Gpu card(int index) {
        return new Gpu(new GpuId("here", "GPU-" + index), index, MODEL, TOTAL_MIB);
    }
}
