package dev.berth.server.api.task;

import dev.berth.server.api.TaskAccess.View;
import dev.berth.wire.AttemptInfo;
import dev.berth.wire.TaskDetail;
import dev.berth.wire.TaskDiagnosis;
import dev.berth.wire.TaskResult;

import java.util.List;
import java.util.Map;

/** Removes from a task what other users must not see. */
final class TaskVisibility {

    private TaskVisibility() {}

    static TaskDetail limited(TaskDetail task, View view) {
        return view == View.ALL ? task : limited(task, view == View.LOGS);
    }

    /** Every field is named here, so that a new one must be decided about. */
    private static TaskDetail limited(TaskDetail task, boolean seesLogs) {
        return new TaskDetail(
                task.id(),
                task.name(),
                seesLogs ? task.command() : "",
                task.header(),
                "",
                task.gpuRequest(),
                task.minGpu(),
                task.gpuLimits(),
                seesLogs ? task.model() : new TaskDetail.Model(null, null, null),
                seesLogs ? task.call() : TaskDetail.Call.NONE,
                task.timeoutSeconds(),
                task.lane(),
                task.times(),
                task.assignedGpus(),
                new TaskDetail.Output(null, null),
                seesLogs ? task.result() : TaskResult.HIDDEN,
                List.of(),
                // A reason can quote a path of the task.
                seesLogs
                        ? task.queuePlace()
                        : new TaskDetail.QueuePlace(
                                task.queuePlace().position(), task.queuePlace().score(), List.of()),
                seesLogs ? findings(task.findings()) : new TaskDetail.Findings(null, null, null),
                seesLogs
                        ? task.attempts()
                        : task.attempts().stream().map(TaskVisibility::basic).toList());
    }

    /** Advice can name the directory and variables of the task. */
    private static TaskDetail.Findings findings(TaskDetail.Findings found) {
        var diagnosis = found.diagnosis();
        return new TaskDetail.Findings(
                found.progress(),
                diagnosis == null
                        ? null
                        : new TaskDiagnosis(
                                diagnosis.cause(), diagnosis.line(), "", Map.of(), null),
                found.usage());
    }

    private static AttemptInfo basic(AttemptInfo attempt) {
        return new AttemptInfo(
                attempt.number(),
                attempt.node(),
                attempt.phase(),
                attempt.gpus(),
                null,
                attempt.grantedAt(),
                attempt.startedAt(),
                attempt.endedAt(),
                null,
                null);
    }
}
