package dev.berth.nodesocket.message;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.GpuConsumption;
import dev.berth.port.JobCommands;
import dev.berth.port.PasswordCheck;
import dev.berth.port.read.AttemptProcesses.SeenProcess;
import dev.berth.port.read.LeftoverProcesses.LeftoverProcess;
import dev.berth.port.read.LogFiles;
import dev.berth.port.read.TaskLogs;
import dev.berth.port.recover.AttemptRecord;
import dev.berth.port.recover.LivingAttempt;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/** The answer to a {@link Query}. */
public sealed interface Reply {

    /** The node tried, and this went wrong. */
    record Failed(String why) implements Reply {}

    record Section(TaskLogs.LogSection section) implements Reply {}

    record Bytes(TaskLogs.LogBytes bytes) implements Reply {}

    record Start(TaskLogs.LogStart start) implements Reply {}

    record Matches(LogFiles.LogMatches matches) implements Reply {}

    record Page(LogFiles.LogPage page) implements Reply {}

    record Consumptions(SortedMap<AttemptId, GpuConsumption> byAttempt) implements Reply {}

    record Heartbeat(Optional<Instant> last) implements Reply {}

    record Attempts(SortedSet<AttemptId> attempts) implements Reply {}

    record Leftovers(List<LeftoverProcess> processes) implements Reply {}

    record Truth(boolean isTrue) implements Reply {}

    record FoundAttempt(Optional<AttemptId> attempt) implements Reply {}

    record Seen(List<SeenProcess> processes) implements Reply {}

    record Count(int number) implements Reply {}

    record Password(PasswordCheck.Verdict verdict) implements Reply {}

    record JobCommand(JobCommands.Result result) implements Reply {}

    record Traces(List<Long> folders, SortedMap<AttemptId, LivingAttempt> living)
            implements Reply {}

    record Numbers(List<Integer> numbers) implements Reply {}

    record Record(AttemptRecord attempt) implements Reply {}
}
