package dev.berth.codegen;

import dev.berth.wire.Alert;
import dev.berth.wire.BackupInfo;
import dev.berth.wire.CleanupList;
import dev.berth.wire.ConfigEntry;
import dev.berth.wire.EventInfo;
import dev.berth.wire.ExperimentDone;
import dev.berth.wire.ExperimentRefused;
import dev.berth.wire.GpuInfo;
import dev.berth.wire.GpuWorker;
import dev.berth.wire.Health;
import dev.berth.wire.LearnedRuns;
import dev.berth.wire.LoginLink;
import dev.berth.wire.Me;
import dev.berth.wire.ModelInfo;
import dev.berth.wire.NodeInfo;
import dev.berth.wire.PersonInfo;
import dev.berth.wire.Placement;
import dev.berth.wire.Problem;
import dev.berth.wire.Queue;
import dev.berth.wire.QueuePosition;
import dev.berth.wire.ReceiverInfo;
import dev.berth.wire.ReceiverTest;
import dev.berth.wire.ReservationInfo;
import dev.berth.wire.Rules;
import dev.berth.wire.RunState;
import dev.berth.wire.Scheduler;
import dev.berth.wire.ServerInfo;
import dev.berth.wire.TaskDetail;
import dev.berth.wire.TaskLog;
import dev.berth.wire.TaskPreview;
import dev.berth.wire.TaskSummary;
import dev.berth.wire.TasksCreated;
import dev.berth.wire.TasksRemoved;
import dev.berth.wire.Timeline;
import dev.berth.wire.TokenCreated;
import dev.berth.wire.TokenInfo;
import dev.berth.wire.UsageReport;
import dev.berth.wire.Why;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Generates the class with which the CLI reads the server's replies. */
public final class CliReaders {

    private static final String CLASS_NAME = "WireReader";

    /** The replies that the CLI reads; records inside them follow by themselves. */
    private static final List<Class<? extends Record>> REPLIES =
            List.of(
                    BackupInfo.class,
                    CleanupList.class,
                    ExperimentDone.class,
                    ExperimentRefused.class,
                    GpuInfo.class,
                    NodeInfo.class,
                    Health.class,
                    LoginLink.class,
                    Me.class,
                    ModelInfo.class,
                    Placement.class,
                    Problem.class,
                    Queue.class,
                    QueuePosition.class,
                    ReceiverTest.class,
                    ReservationInfo.class,
                    Rules.class,
                    RunState.class,
                    Scheduler.class,
                    ServerInfo.class,
                    TaskDetail.class,
                    TaskLog.class,
                    TaskPreview.class,
                    TaskSummary.class,
                    TasksCreated.class,
                    TasksRemoved.class,
                    Timeline.class,
                    TokenCreated.class,
                    TokenInfo.class,
                    UsageReport.class,
                    Why.class);

    /** The replies that are arrays of a record. */
    private static final List<Class<? extends Record>> LIST_REPLIES =
            List.of(
                    Alert.class,
                    EventInfo.class,
                    ConfigEntry.class,
                    GpuWorker.class,
                    LearnedRuns.class,
                    ModelInfo.class,
                    PersonInfo.class,
                    ReceiverInfo.class,
                    ReservationInfo.class,
                    TokenInfo.class);

    private CliReaders() {}

    /**
     * @param arguments the directory for generated sources, and the qualified name of the class
     *     that represents a JSON object; the generated class goes into the same package
     */
    public static void main(String[] arguments) throws IOException {
        var directory = Path.of(arguments[0]);
        var fields = arguments[1];
        var packageName = fields.substring(0, fields.lastIndexOf('.'));
        var target = new ReaderSource.Target(packageName, CLASS_NAME, simpleName(fields));
        var text = new ReaderSource(target).generate(REPLIES, LIST_REPLIES);
        var file = directory.resolve(packageName.replace('.', '/')).resolve(CLASS_NAME + ".java");
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static String simpleName(String qualified) {
        return qualified.substring(qualified.lastIndexOf('.') + 1);
    }
}
