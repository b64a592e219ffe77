package dev.berth.store;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Run;
import dev.berth.core.task.Said;
import dev.berth.core.task.StopCause;
import dev.berth.core.task.TaskId;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** An attempt, without its claims, as a row of {@code attempt}. */
final class AttemptRow {

    static final List<String> COLUMNS =
            Stream.of(
                            List.of("task", "number", "node", "epoch", "boot_id", "granted_at"),
                            List.of("said", "error_type", "said_at"),
                            FindingsColumns.NAMES,
                            List.of("phase", "pid", "start_tick", "process_boot_id", "started_at"),
                            List.of("tmux_session", "stop_cause", "since", "why"),
                            List.of("ending", "exit_code", "reason", "ended_at"))
                    .flatMap(List::stream)
                    .toList();

    private static final String WELL = "normal_exit";

    static final String UPSERT = Sql.upsert("attempt", 2, COLUMNS);

    private AttemptRow() {}

    static void save(Session session, Attempt attempt) throws SQLException {
        var phase = attempt.phase();
        var row =
                session.prepared(UPSERT)
                        .number(attempt.id().task().value())
                        .number(attempt.id().number())
                        .text(attempt.node())
                        .number(attempt.epoch())
                        .text(attempt.bootId())
                        .time(attempt.grantedAt());
        said(row, attempt.said());
        FindingsColumns.write(row, attempt.findings());
        row.text(phase.word());
        run(row, phase.begun());
        switch (phase) {
            case Phase.Starting _, Phase.Running _ -> row.none(7);
            case Phase.Stopping(_, var cause, var since) ->
                    row.text(Words.of(cause)).time(since).none(5);
            case Phase.Lost(_, var why) -> row.none(2).text(why).none(4);
            case Phase.Stuck(_, var cause, var what) ->
                    row.text(Words.of(cause)).none().text(what).none(4);
            case Phase.Ended(_, var ending, var at) -> {
                row.none(3);
                ending(row, ending);
                row.time(at);
            }
        }
        row.run();
    }

    private static void said(Params row, Optional<Said> said) throws SQLException {
        if (said.isEmpty()) {
            row.none(3);
            return;
        }
        var word = said.get();
        row.text(word.isWell() ? WELL : "abnormal_exit").text(word.errorType()).time(word.at());
    }

    private static void run(Params row, Optional<Run> begun) throws SQLException {
        if (begun.isEmpty()) {
            row.none(5);
            return;
        }
        var process = begun.get().process();
        row.number(process.pid())
                .number(process.startTick())
                .text(process.bootId())
                .time(begun.get().startedAt())
                .text(begun.get().window());
    }

    private static void ending(Params row, Ending ending) throws SQLException {
        switch (ending) {
            case Ending.Exited(int code) -> row.text("exited").number(code).none();
            case Ending.Vanished _ -> row.text("vanished").none(2);
            case Ending.MachineRestarted _ -> row.text("machine_restarted").none(2);
            case Ending.NeverStarted _ -> row.text("never_started").none(2);
            case Ending.LaunchFailed(var why) -> row.text("launch_failed").none().text(why);
            case Ending.StartTimedOut(var why) -> row.text("start_timeout").none().text(why);
        }
    }

    static List<Attempt> readAll(Fields row, Map<AttemptId, List<Claim>> claims)
            throws SQLException {
        var attempts = new ArrayList<Attempt>();
        while (row.next()) {
            attempts.add(read(new TaskId(row.number()), row, claims));
        }
        return attempts;
    }

    /** Reads what follows the column {@code task}. */
    static Attempt read(TaskId task, Fields row, Map<AttemptId, List<Claim>> claims)
            throws SQLException {
        var id = new AttemptId(task, row.smallNumber());
        var node = row.text();
        long epoch = row.number();
        var bootId = row.text();
        var grantedAt = row.time();
        var said = said(row);
        var findings = FindingsColumns.read(row);
        var phase = phase(row);
        return new Attempt(
                id,
                node,
                epoch,
                bootId,
                claims.getOrDefault(id, List.of()),
                grantedAt,
                phase,
                said,
                findings);
    }

    private static Optional<Said> said(Fields row) throws SQLException {
        var word = row.optionalText();
        if (word.isEmpty()) {
            row.skip(2);
            return Optional.empty();
        }
        return Optional.of(new Said(word.get().equals(WELL), row.optionalText(), row.time()));
    }

    private static Phase phase(Fields row) throws SQLException {
        var word = row.text();
        var begun = run(row);
        return switch (word) {
            case "starting" -> new Phase.Starting();
            case "running" -> new Phase.Running(begun.orElseThrow());
            case "stopping" -> new Phase.Stopping(begun, cause(row), row.time());
            case "lost" -> new Phase.Lost(begun, row.skip(2).text());
            case "stuck" -> new Phase.Stuck(begun, cause(row), row.skip(1).text());
            case "ended" -> new Phase.Ended(begun, ending(row.skip(3)), row.time());
            default -> throw new SQLException("unknown phase " + word);
        };
    }

    private static StopCause cause(Fields row) throws SQLException {
        return Words.value(StopCause.class, row.text());
    }

    private static Optional<Run> run(Fields row) throws SQLException {
        var pid = row.optionalNumber();
        if (pid.isEmpty()) {
            row.skip(4);
            return Optional.empty();
        }
        long startTick = row.number();
        var process = new ProcessKey(row.text(), pid.getAsLong(), startTick);
        return Optional.of(new Run(process, row.time(), row.optionalText()));
    }

    private static Ending ending(Fields row) throws SQLException {
        var word = row.text();
        if (word.equals("exited")) {
            var exited = new Ending.Exited(row.smallNumber());
            row.skip(1);
            return exited;
        }
        var reason = row.skip(1).optionalText();
        return switch (word) {
            case "vanished" -> new Ending.Vanished();
            case "machine_restarted" -> new Ending.MachineRestarted();
            case "never_started" -> new Ending.NeverStarted();
            case "start_timeout" -> new Ending.StartTimedOut(reason.orElseThrow());
            case "launch_failed" -> new Ending.LaunchFailed(reason.orElseThrow());
            default -> throw new SQLException("unknown ending " + word);
        };
    }
}
