package dev.berth.checks;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;

import dev.berth.notify.offenders.TailsEvents;
import dev.berth.runs.offenders.RenamesFiles;
import dev.berth.server.offenders.StartsThreads;

import java.nio.file.StandardCopyOption;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.stream.Stream;

/** Tasks that one class does for the whole project. */
final class OwnershipRules {
    private OwnershipRules() {}

    /** Each owns its threads: it starts them when {@code app} starts it, and ends them. */
    private static final Set<String> THREAD_OWNERS =
            Set.of(
                    "dev.berth.engine.EngineLoop",
                    "dev.berth.feed.EventFeed",
                    "dev.berth.files.UserPaths",
                    "dev.berth.node.AttemptWindow",
                    "dev.berth.node.LocalLogs",
                    "dev.berth.node.worker.WorkerLink",
                    "dev.berth.node.worker.Workers",
                    "dev.berth.node.LocalNode",
                    "dev.berth.node.NodeContext",
                    "dev.berth.notify.Notifier",
                    "dev.berth.store.SqliteMaintenance",
                    "dev.berth.node.StorageMonitor",
                    "dev.berth.node.gpu.GpuHealthMonitor",
                    "dev.berth.node.gpu.GpuMonitor",
                    "dev.berth.node.gpu.GpuUseStore",
                    "dev.berth.node.gpu.KernelLog",
                    "dev.berth.node.gpu.NvmlEvents",
                    "dev.berth.node.gpu.ProbeCheck",
                    "dev.berth.node.gpu.TimeLimitedReads",
                    "dev.berth.node.linux.LocalAccounts",
                    "dev.berth.node.log.LogCapMonitor",
                    "dev.berth.node.process.OrphanReaper",
                    "dev.berth.node.process.PidfdExitWatcher",
                    "dev.berth.node.process.PollingExitWatcher",
                    "dev.berth.node.progress.ProgressMonitor",
                    "dev.berth.nodeprocess.NodeProcess",
                    "dev.berth.nodeprocess.ConnectedServer",
                    "dev.berth.nodesocket.Outbox",
                    "dev.berth.nodesocket.client.NodeLink",
                    "dev.berth.slurm.SlurmCluster",
                    "dev.berth.notify.HostResolver",
                    "dev.berth.notify.HttpPost",
                    "dev.berth.notify.MailConnection",
                    "dev.berth.notify.ReceiverConnection",
                    "dev.berth.node.shim.DelayedWork",
                    "dev.berth.node.shim.LocalTaskFolders",
                    "dev.berth.node.shim.SpareShims",
                    "dev.berth.retention.RetentionLoop",
                    "dev.berth.runs.LeftoverCleanup",
                    "dev.berth.server.HttpServer",
                    "dev.berth.server.tls.TlsReloader",
                    "dev.berth.store.ReaderPool",
                    "dev.berth.telemetry.history.Sampler",
                    // A program of its own, which ends with its command.
                    "dev.berth.cli.client.ExchangeDeadline",
                    "dev.berth.cli.command.task.LogReadAhead",
                    "dev.berth.cli.command.run.InterruptNotice");

    private static final String EVENT_FEED = "dev.berth.feed.EventFeed";
    private static final String EVENT_PAGE_ROUTE = "dev.berth.server.api.event.EventRoutes";
    private static final String ATOMIC_FILE = "dev.berth.files.AtomicFile";

    static Stream<Rule> rules() {
        return Stream.of(
                Rule.product(
                        "only app and the owners of threads start threads or create executors",
                        noClasses()
                                .that(not(areIn(THREAD_OWNERS)))
                                .and(not(resideInAnyPackage("dev.berth.app..", TESTKIT)))
                                .should()
                                .accessTargetWhere(STARTS_THREADS),
                        StartsThreads.class.getDeclaredClasses()),
                Rule.product(
                        "only EventFeed follows the committed events",
                        noClasses()
                                .that(not(areIn(Set.of(EVENT_FEED, EVENT_PAGE_ROUTE))))
                                .and(not(resideInAnyPackage(TESTKIT)))
                                .should()
                                .accessTargetWhere(READS_EVENTS),
                        TailsEvents.class),
                Rule.product(
                        "only AtomicFile replaces files",
                        noClasses()
                                .that(not(areIn(Set.of(ATOMIC_FILE))))
                                .should()
                                .accessTargetWhere(REPLACES_FILES),
                        RenamesFiles.class.getDeclaredClasses()));
    }

    private static final String TESTKIT = "dev.berth.testkit..";

    /** A class and its nested classes. */
    private static DescribedPredicate<JavaClass> areIn(Set<String> owners) {
        return describe(
                "are owners",
                type -> {
                    var name = type.getName();
                    int nested = name.indexOf('$');
                    return owners.contains(nested < 0 ? name : name.substring(0, nested));
                });
    }

    private static final Set<String> THREAD_METHODS = Set.of("start", "startVirtualThread");

    private static final DescribedPredicate<JavaAccess<?>> STARTS_THREADS =
            describe(
                    "it starts a thread or creates an executor",
                    access -> {
                        var owner = access.getTargetOwner();
                        return owner.isEquivalentTo(Executors.class)
                                || (owner.isAssignableTo(ThreadPoolExecutor.class)
                                        && access.getName().equals("<init>"))
                                || (isThread(owner) && THREAD_METHODS.contains(access.getName()));
                    });

    /** Builders by name: the supertypes of JDK classes are not imported. */
    private static boolean isThread(JavaClass owner) {
        return owner.isAssignableTo(Thread.class)
                || owner.getName().startsWith("java.lang.Thread$Builder");
    }

    private static final DescribedPredicate<JavaAccess<?>> READS_EVENTS =
            describe(
                    "it reads pages of events",
                    access ->
                            access.getName().equals("eventsAfter")
                                    && access.getTargetOwner()
                                            .getName()
                                            .equals("dev.berth.port.read.TaskQueries"));

    private static final Set<String> REPLACING = Set.of("ATOMIC_MOVE", "REPLACE_EXISTING");

    /** Giving a file an unused name is allowed: it replaces nothing. */
    private static final DescribedPredicate<JavaAccess<?>> REPLACES_FILES =
            describe(
                    "it replaces a file",
                    access ->
                            access.getTargetOwner().isEquivalentTo(StandardCopyOption.class)
                                    && REPLACING.contains(access.getName()));
}
