package dev.berth.nodeprocess;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.GpuConsumption;
import dev.berth.node.LocalNode;
import dev.berth.nodesocket.message.Query;
import dev.berth.nodesocket.message.Reply;
import dev.berth.port.PasswordCheck;
import dev.berth.port.StoreFailure;
import dev.berth.port.TaskFolders;
import dev.berth.port.read.LeftoverProcesses.ProcessTableUnreadable;
import dev.berth.port.read.TaskLogs.LogUnreadable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;

/** Answers the questions of one server. */
final class QueryAnswers {

    private final LocalNode node;
    private final TaskFolders folders;
    private final Path tasks;
    private final PasswordCheck passwords;
    private final TraceAnswers traces;

    QueryAnswers(LocalNode node, TaskFolders folders, Path tasks, PasswordCheck passwords) {
        this.node = node;
        this.folders = folders;
        this.tasks = tasks;
        this.passwords = passwords;
        this.traces = new TraceAnswers(tasks);
    }

    /** The directory that contains the task directories. */
    Path tasks() {
        return tasks;
    }

    /** What goes wrong is an answer, too. */
    Reply answer(Query query) {
        try {
            return switch (query) {
                case Query.Tail _,
                        Query.ReadFrom _,
                        Query.ReadBytes _,
                        Query.StartOfLast _,
                        Query.Search _,
                        Query.PageFrom _,
                        Query.PageBefore _,
                        Query.IsLogMissing _ ->
                        fromLogs(query);
                case Query.Consumptions(List<AttemptId> attempts) -> consumptions(attempts);
                case Query.Heartbeat(AttemptId worker) ->
                        new Reply.Heartbeat(node.heartbeats().lastHeartbeat(worker));
                case Query.LeftoverAttempts _,
                        Query.LeftoversOf _,
                        Query.EndLeftovers _,
                        Query.IsAlive _,
                        Query.AttemptOf _,
                        Query.AliveProcesses _,
                        Query.NamedProcess _ ->
                        fromProcesses(query);
                case Query.DiscardFolders(var ids) -> {
                    folders.discard(ids);
                    yield new Reply.Count(ids.size());
                }
                case Query.FoldFolders(var ids) -> new Reply.Count(folders.fold(ids));
                case Query.CheckPassword(var login) -> new Reply.Password(passwords.check(login));
                case Query.RunJobCommand(var id, var account, var program, var arguments) ->
                        new Reply.JobCommand(
                                node.jobCommands().run(id, account, program, arguments));
                case Query.OfTraces question -> traces.answer(question);
            };
        } catch (LogUnreadable | ProcessTableUnreadable | StoreFailure expected) {
            return new Reply.Failed(String.valueOf(expected.getMessage()));
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
            return new Reply.Failed("the node stops");
        } catch (IOException | RuntimeException failure) {
            return new Reply.Failed(failure.toString());
        }
    }

    private Reply fromLogs(Query query) throws LogUnreadable {
        var logs = node.logs();
        var files = node.logFiles();
        return switch (query) {
            case Query.Tail(var id, var part, int lines) ->
                    new Reply.Section(logs.tail(id, part, lines));
            case Query.ReadFrom(var id, var part, long offset, boolean partial) ->
                    new Reply.Section(logs.from(id, part, offset, partial));
            case Query.ReadBytes(var id, var part, long offset, int limit) ->
                    new Reply.Bytes(logs.bytes(id, part, offset, limit));
            case Query.StartOfLast(var id, var part, long lines) ->
                    new Reply.Start(logs.startOfLast(id, part, lines));
            case Query.Search(var id, var part, var search) ->
                    new Reply.Matches(files.search(id, part, search));
            case Query.PageFrom(var id, var part, long offset) ->
                    new Reply.Page(files.pageFrom(id, part, offset));
            case Query.PageBefore(var id, var part, long offset) ->
                    new Reply.Page(files.pageBefore(id, part, offset));
            case Query.IsLogMissing(var id) -> new Reply.Truth(logs.isMissing(id));
            default -> throw new IllegalArgumentException("not about a log: " + query);
        };
    }

    private Reply fromProcesses(Query query) throws ProcessTableUnreadable {
        var leftovers = node.leftovers();
        return switch (query) {
            case Query.LeftoverAttempts _ -> new Reply.Attempts(leftovers.attempts());
            case Query.LeftoversOf(var over) -> new Reply.Leftovers(leftovers.of(over));
            case Query.EndLeftovers(var over) -> new Reply.Leftovers(leftovers.end(over));
            case Query.IsAlive(long pid) -> new Reply.Truth(leftovers.isAlive(pid));
            case Query.AttemptOf(long pid) -> new Reply.FoundAttempt(leftovers.attemptOf(pid));
            case Query.AliveProcesses(var attempt) ->
                    new Reply.Seen(node.attemptProcesses().alive(attempt));
            case Query.NamedProcess(long pid) ->
                    new Reply.Seen(node.attemptProcesses().named(pid).stream().toList());
            default -> throw new IllegalArgumentException("not about processes: " + query);
        };
    }

    private Reply consumptions(List<AttemptId> attempts) {
        var found = new TreeMap<AttemptId, GpuConsumption>();
        for (var attempt : attempts) {
            node.consumptions().of(attempt).ifPresent(use -> found.put(attempt, use));
        }
        return new Reply.Consumptions(found);
    }
}
