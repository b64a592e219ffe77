package dev.berth.cli.link;

import dev.berth.wire.AttemptInfo;
import dev.berth.wire.ConfigEntry;
import dev.berth.wire.GpuInfo;
import dev.berth.wire.Health;
import dev.berth.wire.LoginLink;
import dev.berth.wire.Problem;
import dev.berth.wire.Reason;
import dev.berth.wire.ServerInfo;
import dev.berth.wire.TaskDetail;
import dev.berth.wire.TaskLog;
import dev.berth.wire.TaskSummary;
import dev.berth.wire.TokenCreated;
import dev.berth.wire.TokenInfo;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** From JSON to the records of the wire, field by field: reflection would be slow to start. */
public final class WireReader {

    private WireReader() {}

    public static TaskSummary summary(@Nullable Object json) {
        Fields task = Fields.of(json);
        return new TaskSummary(
                task.longNumber("id"),
                task.text("name"),
                task.text("status"),
                task.text("phase"),
                task.text("priority"),
                task.text("owner"),
                task.text("source"),
                task.text("devices"),
                task.textOrNull("gpu_type"),
                task.number("gpu_count"),
                task.number("max_gpu"),
                task.decimalOrNull("memory_gb"),
                task.isTrue("share"),
                task.numberOrNull("timeout_seconds"),
                task.text("created_at"),
                task.textOrNull("queued_at"),
                task.textOrNull("started_at"),
                task.textOrNull("finished_at"),
                task.numbersOrNull("assigned_gpus"),
                task.numberOrNull("exit_code"),
                task.textOrNull("error"),
                task.textOrNull("error_type"),
                task.textOrNull("lane"),
                task.longOrNull("run"),
                task.textOrNull("uni_id"),
                task.number("retry_count"),
                task.numberOrNull("max_retries"),
                task.textOrNull("backoff_until"),
                task.numberOrNull("progress"),
                task.textOrNull("cause"));
    }

    public static TaskDetail detail(@Nullable Object json) {
        Fields task = Fields.of(json);
        return new TaskDetail(
                task.longNumber("id"),
                task.text("name"),
                task.text("command"),
                task.text("status"),
                task.text("phase"),
                task.text("priority"),
                task.text("owner"),
                task.text("source"),
                task.text("devices"),
                task.text("work_dir"),
                task.textOrNull("gpu_type"),
                task.number("gpu_count"),
                task.number("min_gpu"),
                task.number("max_gpu"),
                task.decimalOrNull("memory_gb"),
                task.isTrue("share"),
                task.textOrNull("model_name"),
                task.textOrNull("task_type"),
                task.numberOrNull("structure_n_atoms"),
                task.numberOrNull("timeout_seconds"),
                task.textOrNull("lane"),
                task.longOrNull("run"),
                task.textOrNull("uni_id"),
                task.number("retry_count"),
                task.numberOrNull("max_retries"),
                task.textOrNull("backoff_until"),
                task.text("created_at"),
                task.textOrNull("queued_at"),
                task.textOrNull("started_at"),
                task.textOrNull("finished_at"),
                task.numbersOrNull("assigned_gpus"),
                task.textOrNull("tmux_session"),
                task.textOrNull("log_path"),
                task.numberOrNull("exit_code"),
                task.textOrNull("error"),
                task.textOrNull("error_type"),
                task.texts("env"),
                task.numberOrNull("position"),
                task.decimalOrNull("score"),
                reasons(task.objects("wait_reasons")),
                FindingReader.progress(task.object("progress")),
                FindingReader.diagnosis(task.object("diagnosis")),
                FindingReader.usage(task.object("usage")),
                attempts(task.objects("attempts")));
    }

    public static TaskLog log(@Nullable Object json) {
        Fields log = Fields.of(json);
        return new TaskLog(
                log.longNumber("task_id"),
                log.texts("lines"),
                log.isTrue("truncated"),
                log.longNumber("next_offset"));
    }

    public static GpuInfo gpu(@Nullable Object json) {
        Fields gpu = Fields.of(json);
        List<Integer> tasks = gpu.numbersOrNull("task_ids");
        List<Long> taskIds = new ArrayList<>();
        for (Integer task : tasks == null ? List.<Integer>of() : tasks) {
            taskIds.add(task.longValue());
        }
        return new GpuInfo(
                gpu.number("index"),
                gpu.number("id"),
                gpu.text("node"),
                gpu.text("uuid"),
                gpu.text("name"),
                new GpuInfo.Memory(
                        gpu.longNumber("memory_total_mb"),
                        gpu.longOrNull("memory_used_mb"),
                        gpu.longOrNull("memory_free_mb")),
                gpu.numberOrNull("utilization"),
                gpu.longOrNull("assigned_task_id"),
                gpu.longOrNull("current_task_id"),
                taskIds,
                gpu.isTrue("is_free"),
                gpu.text("status"),
                gpu.longNumber("memory_total_mb"),
                gpu.longOrNull("memory_used_mb"),
                gpu.longOrNull("memory_free_mb"),
                gpu.numberOrNull("utilization_percent"),
                gpu.numberOrNull("temperature_c"),
                gpu.texts("loaded_models"),
                gpu.longOrNull("headroom_mb"),
                gpu.numberOrNull("mean_utilization_percent"),
                gpu.textOrNull("why"),
                gpu.textOrNull("released_at"),
                processes(gpu.objects("processes")),
                holders(gpu.objects("holders")),
                fault(gpu.object("fault")));
    }

    private static GpuInfo.@Nullable Fault fault(Fields fault) {
        return fault.map().isEmpty()
                ? null
                : new GpuInfo.Fault(
                        fault.text("kind"),
                        fault.text("why"),
                        fault.text("since"),
                        fault.text("stage"));
    }

    private static List<GpuInfo.Process> processes(List<Fields> all) {
        List<GpuInfo.Process> processes = new ArrayList<>();
        for (Fields process : all) {
            processes.add(
                    new GpuInfo.Process(
                            process.longNumber("pid"),
                            process.textOrNull("user"),
                            process.text("name"),
                            process.longOrNull("memory_mb"),
                            process.text("kind"),
                            process.textOrNull("since"),
                            process.longOrNull("task_id"),
                            process.isTrue("foreign")));
        }
        return processes;
    }

    private static List<GpuInfo.Holder> holders(List<Fields> all) {
        List<GpuInfo.Holder> holders = new ArrayList<>();
        for (Fields holder : all) {
            holders.add(
                    new GpuInfo.Holder(
                            holder.longNumber("task_id"),
                            holder.text("name"),
                            holder.text("owner"),
                            holder.text("since")));
        }
        return holders;
    }

    public static Health health(@Nullable Object json) {
        Fields health = Fields.of(json);
        List<String> problems = health.texts("problems");
        return new Health(health.text("status"), problems.isEmpty() ? null : problems);
    }

    public static TokenCreated tokenCreated(@Nullable Object json) {
        Fields token = Fields.of(json);
        return new TokenCreated(
                token.longNumber("id"),
                token.text("name"),
                token.text("owner"),
                token.text("created_at"),
                token.textOrNull("expires_at"),
                token.text("token"));
    }

    public static TokenInfo token(@Nullable Object json) {
        Fields token = Fields.of(json);
        return new TokenInfo(
                token.longNumber("id"),
                token.text("kind"),
                token.text("name"),
                token.text("owner"),
                token.text("created_at"),
                token.textOrNull("expires_at"),
                token.textOrNull("last_used_at"),
                token.textOrNull("revoked_at"));
    }

    public static List<TokenInfo> tokens(@Nullable Object json) {
        List<TokenInfo> tokens = new ArrayList<>();
        if (json instanceof List<?> list) {
            for (Object one : list) {
                tokens.add(token(one));
            }
        }
        return tokens;
    }

    public static LoginLink loginLink(@Nullable Object json) {
        Fields link = Fields.of(json);
        return new LoginLink(link.text("url"), link.text("expires_at"));
    }

    public static Problem problem(@Nullable Object json) {
        Fields problem = Fields.of(json);
        return new Problem(
                problem.text("detail"),
                problem.text("code"),
                problem.textOrNull("field"),
                problem.textMap("params"));
    }

    public static ServerInfo server(@Nullable Object json) {
        Fields server = Fields.of(json);
        return new ServerInfo(
                server.text("version"),
                server.longNumber("pid"),
                server.text("home"),
                server.text("url"),
                server.text("started_at"),
                server.text("gpus"),
                server.textOrNull("tracking"));
    }

    public static List<ConfigEntry> config(@Nullable Object json) {
        List<ConfigEntry> entries = new ArrayList<>();
        for (Fields entry : Fields.listOf(json)) {
            entries.add(
                    new ConfigEntry(
                            entry.text("key"),
                            entry.map().get("value"),
                            entry.map().get("default_value"),
                            entry.text("source"),
                            entry.isTrue("in_force"),
                            entry.text("about")));
        }
        return entries;
    }

    static List<Reason> reasons(List<Fields> all) {
        List<Reason> reasons = new ArrayList<>();
        for (Fields reason : all) {
            reasons.add(reason(reason));
        }
        return reasons;
    }

    static @Nullable Reason reasonOrNull(Fields in, String name) {
        Fields reason = in.object(name);
        return reason.map().isEmpty() ? null : reason(reason);
    }

    private static Reason reason(Fields reason) {
        return new Reason(
                reason.text("detail"),
                reason.text("code"),
                reason.textMap("params"),
                reasons(reason.objects("parts")));
    }

    private static List<AttemptInfo> attempts(List<Fields> all) {
        List<AttemptInfo> attempts = new ArrayList<>();
        for (Fields attempt : all) {
            List<Integer> gpus = attempt.numbersOrNull("gpus");
            attempts.add(
                    new AttemptInfo(
                            attempt.number("number"),
                            attempt.text("node"),
                            attempt.text("phase"),
                            gpus == null ? List.of() : gpus,
                            attempt.longOrNull("pid"),
                            attempt.text("granted_at"),
                            attempt.textOrNull("started_at"),
                            attempt.textOrNull("ended_at"),
                            attempt.numberOrNull("exit_code"),
                            attempt.textOrNull("error")));
        }
        return attempts;
    }
}
