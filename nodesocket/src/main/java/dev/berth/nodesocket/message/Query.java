package dev.berth.nodesocket.message;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.RunAs;
import dev.berth.port.JobCommands;
import dev.berth.port.PasswordCheck;
import dev.berth.port.read.LogFiles.LogSearch;
import dev.berth.port.read.TaskLogs.LogPart;

import java.util.List;

/** A question to the node; each belongs to one method of a port. */
public sealed interface Query {

    record Tail(AttemptId attempt, LogPart part, int lines) implements Query {}

    record ReadFrom(AttemptId attempt, LogPart part, long offset, boolean partial)
            implements Query {}

    record ReadBytes(AttemptId attempt, LogPart part, long offset, int limit) implements Query {}

    record StartOfLast(AttemptId attempt, LogPart part, long lines) implements Query {}

    record Search(AttemptId attempt, LogPart part, LogSearch search) implements Query {}

    record PageFrom(AttemptId attempt, LogPart part, long offset) implements Query {}

    record PageBefore(AttemptId attempt, LogPart part, long offset) implements Query {}

    record IsLogMissing(AttemptId attempt) implements Query {}

    record Consumptions(List<AttemptId> attempts) implements Query {}

    record Heartbeat(AttemptId worker) implements Query {}

    record LeftoverAttempts() implements Query {}

    record LeftoversOf(AttemptId over) implements Query {}

    record EndLeftovers(AttemptId over) implements Query {}

    record IsAlive(long pid) implements Query {}

    record AttemptOf(long pid) implements Query {}

    record AliveProcesses(AttemptId attempt) implements Query {}

    record NamedProcess(long pid) implements Query {}

    record DiscardFolders(List<TaskId> tasks) implements Query {}

    record FoldFolders(List<TaskId> tasks) implements Query {}

    record CheckPassword(PasswordCheck.Login login) implements Query {}

    record RunJobCommand(
            AttemptId attempt, RunAs account, JobCommands.Program program, List<String> arguments)
            implements Query {}

    /** A question of a server that starts, about directories and processes of tasks. */
    sealed interface OfTraces extends Query {}

    /** Directories and processes as they are now; the questions below are about them. */
    record ReadTraces() implements OfTraces {}

    record AttemptsOf(TaskId task) implements OfTraces {}

    record ReadRecord(AttemptId attempt) implements OfTraces {}

    record IsClosed(AttemptId attempt) implements OfTraces {}

    /** Keeps the attempt from ever starting. */
    record Close(AttemptId attempt) implements OfTraces {}
}
