package dev.berth.store;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Ending;
import dev.berth.core.task.MachineFault;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ScriptReport;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.StopCause;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An attempt, without its claims, as a row of {@code attempt}. */
final class AttemptRow {

    static final SqlTable TABLE = SqlTable.checked("attempt");

    private static final Column TASK = TABLE.key("task");
    private static final Column NUMBER = TABLE.key("number");
    private static final Column NODE = TABLE.column("node");
    private static final Column EPOCH = TABLE.column("epoch");
    private static final Column BOOT_ID = TABLE.column("boot_id");
    private static final Column GRANTED_AT = TABLE.column("granted_at");

    private static final Column REPORT = TABLE.column("said");
    private static final Column REPORT_ERROR_TYPE = TABLE.column("error_type");
    private static final Column REPORT_AT = TABLE.column("said_at");

    private static final FindingsColumns FINDINGS = new FindingsColumns(TABLE);

    private static final Column PHASE = TABLE.column("phase");
    private static final Column PID = TABLE.column("pid");
    private static final Column START_TICK = TABLE.column("start_tick");
    private static final Column PROCESS_BOOT_ID = TABLE.column("process_boot_id");
    private static final Column STARTED_AT = TABLE.column("started_at");
    private static final Column TMUX_SESSION = TABLE.column("tmux_session");
    private static final Column STOP_CAUSE = TABLE.column("stop_cause");
    private static final Column SINCE = TABLE.column("since");
    private static final Column WHY = TABLE.column("why");
    private static final Column ENDING = TABLE.column("ending");
    private static final Column EXIT_CODE = TABLE.column("exit_code");
    private static final Column REASON = TABLE.column("reason");
    private static final Column ENDED_AT = TABLE.column("ended_at");

    private static final Column WORKER = TABLE.column("worker");

    private static final SqlTable.RowWrite UPSERT = TABLE.upsert();

    private static final String REPORTED_SUCCESS = "normal_exit";
    private static final String REPORTED_FAILURE = "abnormal_exit";

    private AttemptRow() {}

    static void save(SqlSession session, Attempt attempt) throws SQLException {
        var row =
                session.prepared(UPSERT)
                        .set(TASK, attempt.id().task().value())
                        .set(NUMBER, attempt.id().number())
                        .set(NODE, attempt.node())
                        .set(EPOCH, attempt.epoch())
                        .set(BOOT_ID, attempt.bootId())
                        .set(GRANTED_AT, attempt.scheduledAt());
        if (attempt.scriptReport().isPresent()) {
            var report = attempt.scriptReport().get();
            row.set(REPORT, report.isSuccess() ? REPORTED_SUCCESS : REPORTED_FAILURE)
                    .set(REPORT_ERROR_TYPE, report.errorType())
                    .set(REPORT_AT, report.at());
        }
        FINDINGS.set(row, attempt.findings());
        row.set(WORKER, attempt.worker().map(AttemptId::toString));
        setPhase(row, attempt.phase());
        row.run();
    }

    private static void setPhase(Parameters row, Phase phase) throws SQLException {
        row.set(PHASE, phase.apiName());
        if (phase.shimProcess().isPresent()) {
            setProcess(row, phase.shimProcess().get());
        }
        switch (phase) {
            case Phase.Handed _, Phase.Starting _, Phase.Running _ -> {}
            case Phase.Stopping(_, var cause, var since) ->
                    row.set(STOP_CAUSE, EnumText.of(cause)).set(SINCE, since);
            case Phase.Lost(_, var why) -> row.set(WHY, why);
            case Phase.Stuck(_, var cause, var why) ->
                    row.set(STOP_CAUSE, EnumText.of(cause)).set(WHY, why);
            case Phase.Ended(_, var ending, var at) -> {
                setEnding(row, ending);
                row.set(ENDED_AT, at);
            }
        }
    }

    private static void setProcess(Parameters row, ShimProcess shim) throws SQLException {
        row.set(PID, shim.key().pid())
                .set(START_TICK, shim.key().startTick())
                .set(PROCESS_BOOT_ID, shim.key().bootId())
                .set(STARTED_AT, shim.startedAt())
                .set(TMUX_SESSION, shim.tmuxSession());
    }

    private static void setEnding(Parameters row, Ending ending) throws SQLException {
        switch (ending) {
            case Ending.Exited(int code) -> row.set(ENDING, "exited").set(EXIT_CODE, code);
            case Ending.Vanished(var why) -> {
                row.set(ENDING, "vanished");
                if (!why.isEmpty()) {
                    row.set(REASON, why);
                }
            }
            case Ending.MachineRestarted _ -> row.set(ENDING, "machine_restarted");
            case Ending.NeverStarted _ -> row.set(ENDING, "never_started");
            case Ending.LaunchFailed(var why) -> row.set(ENDING, "launch_failed").set(REASON, why);
            case Ending.StartTimedOut(var why) -> row.set(ENDING, "start_timeout").set(REASON, why);
            case Ending.NotLaunched(var fault) ->
                    row.set(ENDING, "machine_fault")
                            .set(WHY, EnumText.of(fault.kind()))
                            .set(REASON, fault.detail());
            case Ending.Interrupted(var why) -> row.set(ENDING, "interrupted").set(REASON, why);
            case Ending.CallFailed(var type, var message) ->
                    row.set(ENDING, "call_failed").set(WHY, type).set(REASON, message);
        }
    }

    static List<Attempt> readAll(ResultRow row, Map<AttemptId, List<Claim>> claims)
            throws SQLException {
        var attempts = new ArrayList<Attempt>();
        while (row.next()) {
            attempts.add(read(row, claims));
        }
        return attempts;
    }

    /** Empty where an outer join found no attempt. */
    static Optional<Attempt> readJoined(ResultRow row, Map<AttemptId, List<Claim>> claims)
            throws SQLException {
        return row.optionalNumber(TASK).isPresent()
                ? Optional.of(read(row, claims))
                : Optional.empty();
    }

    private static Attempt read(ResultRow row, Map<AttemptId, List<Claim>> claims)
            throws SQLException {
        var id = new AttemptId(new TaskId(row.number(TASK)), row.smallNumber(NUMBER));
        return new Attempt(
                id,
                row.text(NODE),
                row.number(EPOCH),
                row.text(BOOT_ID),
                claims.getOrDefault(id, List.of()),
                row.time(GRANTED_AT),
                phase(row),
                report(row),
                FINDINGS.read(row),
                worker(row));
    }

    private static Optional<AttemptId> worker(ResultRow row) throws SQLException {
        try {
            return row.optionalText(WORKER).map(AttemptId::parse);
        } catch (IllegalArgumentException e) {
            throw new SQLException("unknown worker " + row.text(WORKER), e);
        }
    }

    private static Optional<ScriptReport> report(ResultRow row) throws SQLException {
        var report = row.optionalText(REPORT);
        return report.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new ScriptReport(
                                report.get().equals(REPORTED_SUCCESS),
                                row.optionalText(REPORT_ERROR_TYPE),
                                row.time(REPORT_AT)));
    }

    private static Phase phase(ResultRow row) throws SQLException {
        var phase = row.text(PHASE);
        var process = process(row);
        return switch (phase) {
            case "handed" -> new Phase.Handed();
            case "starting" -> new Phase.Starting();
            case "running" -> new Phase.Running(process.orElseThrow());
            case "stopping" -> new Phase.Stopping(process, stopCause(row), row.time(SINCE));
            case "lost" -> new Phase.Lost(process, row.text(WHY));
            case "stuck" -> new Phase.Stuck(process, stopCause(row), row.text(WHY));
            case "ended" -> new Phase.Ended(process, ending(row), row.time(ENDED_AT));
            default -> throw new SQLException("unknown phase " + phase);
        };
    }

    private static StopCause stopCause(ResultRow row) throws SQLException {
        return EnumText.parse(StopCause.class, row.text(STOP_CAUSE));
    }

    private static Optional<ShimProcess> process(ResultRow row) throws SQLException {
        var pid = row.optionalNumber(PID);
        if (pid.isEmpty()) {
            return Optional.empty();
        }
        var key =
                new ProcessKey(row.text(PROCESS_BOOT_ID), pid.getAsLong(), row.number(START_TICK));
        return Optional.of(
                new ShimProcess(key, row.time(STARTED_AT), row.optionalText(TMUX_SESSION)));
    }

    private static Ending ending(ResultRow row) throws SQLException {
        var ending = row.text(ENDING);
        return switch (ending) {
            case "exited" -> new Ending.Exited(row.smallNumber(EXIT_CODE));
            case "vanished" -> new Ending.Vanished(row.optionalText(REASON).orElse(""));
            case "machine_restarted" -> new Ending.MachineRestarted();
            case "never_started" -> new Ending.NeverStarted();
            case "start_timeout" -> new Ending.StartTimedOut(row.text(REASON));
            case "interrupted" -> new Ending.Interrupted(row.text(REASON));
            case "launch_failed" -> new Ending.LaunchFailed(row.text(REASON));
            case "machine_fault" ->
                    new Ending.NotLaunched(
                            new MachineFault(
                                    EnumText.parse(MachineFault.Kind.class, row.text(WHY)),
                                    row.text(REASON)));
            case "call_failed" -> new Ending.CallFailed(row.text(WHY), row.text(REASON));
            default -> throw new SQLException("unknown ending " + ending);
        };
    }
}
