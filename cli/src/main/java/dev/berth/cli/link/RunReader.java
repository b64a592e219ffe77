package dev.berth.cli.link;

import dev.berth.wire.CleanupList;
import dev.berth.wire.FileProblem;
import dev.berth.wire.LaneState;
import dev.berth.wire.LeftProcess;
import dev.berth.wire.LeftRecord;
import dev.berth.wire.ProcessState;
import dev.berth.wire.RunState;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What {@link WireReader} does, for runs and for what abnormal ends left. */
public final class RunReader {

    private RunReader() {}

    public static RunState run(@Nullable Object json) {
        Fields run = Fields.of(json);
        Fields queues = run.object("queues");
        Map<String, LaneState> lanes = new LinkedHashMap<>();
        for (String queue : queues.names()) {
            lanes.put(queue, lane(queues.object(queue)));
        }
        return new RunState(
                run.longNumber("pid"),
                run.text("mode"),
                run.numberOrNull("config_index"),
                run.text("command_file"),
                run.text("status"),
                run.text("owner"),
                run.text("priority"),
                run.text("started_at"),
                run.text("updated_at"),
                run.textOrNull("ended_at"),
                run.number("total"),
                run.number("pending"),
                run.number("running"),
                run.number("completed"),
                run.number("failed"),
                run.number("cancelled"),
                run.textOrNull("reason"),
                run.text("log"),
                lanes,
                run.map().get("problems") instanceof List<?> ? problems(json) : null);
    }

    /** The blocks of a command file that an answer of any kind complains of. */
    public static List<FileProblem> problems(@Nullable Object json) {
        List<FileProblem> problems = new ArrayList<>();
        for (Fields problem : Fields.of(json).objects("problems")) {
            problems.add(
                    new FileProblem(
                            problem.number("line"), problem.text("code"), problem.text("detail")));
        }
        return problems;
    }

    public static CleanupList cleanup(@Nullable Object json) {
        Fields left = Fields.of(json);
        List<LeftRecord> records = new ArrayList<>();
        for (Fields one : left.objects("records")) {
            records.add(
                    new LeftRecord(one.text("uni_id"), one.longOrNull("pid"), one.text("state")));
        }
        List<LeftProcess> processes = new ArrayList<>();
        for (Fields one : left.objects("processes")) {
            processes.add(
                    new LeftProcess(
                            one.longNumber("pid"),
                            one.text("program"),
                            one.longOrNull("task_id"),
                            one.numberOrNull("attempt"),
                            one.textOrNull("since")));
        }
        return new CleanupList(records, processes);
    }

    private static LaneState lane(Fields lane) {
        List<ProcessState> processes = new ArrayList<>();
        for (Fields process : lane.objects("processes")) {
            processes.add(process(process));
        }
        return new LaneState(
                lane.text("status"),
                lane.number("total"),
                lane.number("completed"),
                lane.longOrNull("current"),
                numbers(lane, "gpus"),
                lane.textOrNull("backoff_until"),
                processes);
    }

    private static ProcessState process(Fields process) {
        return new ProcessState(
                process.longNumber("task_id"),
                process.number("task_index"),
                process.textOrNull("uni_id"),
                process.text("command"),
                process.decimal("memory_gb"),
                process.number("gpu_count"),
                numbers(process, "gpus"),
                process.longOrNull("pid"),
                process.text("status"),
                process.number("retry_count"),
                process.textOrNull("backoff_until"),
                process.textOrNull("error"),
                process.textOrNull("error_type"),
                process.textOrNull("log"),
                process.textOrNull("bound_log"));
    }

    private static List<Integer> numbers(Fields fields, String name) {
        List<Integer> numbers = fields.numbersOrNull(name);
        return numbers == null ? List.of() : numbers;
    }
}
