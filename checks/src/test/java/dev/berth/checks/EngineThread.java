package dev.berth.checks;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;

import dev.berth.engine.EngineLoop;
import dev.berth.engine.offenders.Blocks;
import dev.berth.engine.offenders.CallsAnotherPort;
import dev.berth.engine.offenders.UsesThreads;
import dev.berth.port.Cluster;
import dev.berth.port.EngineMeter;
import dev.berth.port.Failpoints;
import dev.berth.port.Node;
import dev.berth.port.TaskStore;

import java.util.Set;
import java.util.stream.Stream;

/**
 * The engine's thread decides and commits, and waits for nothing but its own commands: each other
 * wait would delay all tasks and all requests.
 */
final class EngineThread {
    private EngineThread() {}

    static Stream<Rule> rules() {
        return Stream.of(
                Rule.product(
                        "the engine has one thread, in its loop",
                        noClasses()
                                .that(ENGINE.and(not(belongToAnyOf(EngineLoop.class))))
                                .should()
                                .dependOnClassesThat(CONCURRENT),
                        UsesThreads.class.getDeclaredClasses()),
                Rule.product(
                        "the engine's thread never blocks, sleeps or starts threads",
                        noClasses().that(ENGINE).should().accessTargetWhere(BLOCKS),
                        Blocks.class.getDeclaredClasses()),
                Rule.product(
                        "the engine's thread calls no port but the store, the cancel journal,"
                                + " the node and the cluster",
                        noClasses().that(ENGINE).should().accessTargetWhere(OTHER_PORT),
                        CallsAnotherPort.class));
    }

    /** Lost state is recovered by a command, while no engine runs. */
    private static final DescribedPredicate<JavaClass> ENGINE =
            resideInAPackage("dev.berth.engine..")
                    .and(not(resideInAPackage("dev.berth.engine.recover..")));

    private static final DescribedPredicate<JavaClass> PORT = resideInAPackage("dev.berth.port..");

    private static final DescribedPredicate<JavaClass> CONCURRENT =
            resideInAnyPackage("java.util.concurrent..", "java.net..", "java.nio.channels..")
                    .or(describe("are threads", type -> type.isEquivalentTo(Thread.class)));

    private static final Set<String> BLOCKING =
            Set.of("acquire", "await", "get", "invokeAll", "invokeAny", "join", "lock", "park");

    /** The thread of the loop is made by {@code Thread.ofPlatform} and joined when it is closed. */
    private static final Set<String> THREAD =
            Set.of("sleep", "yield", "onSpinWait", "startVirtualThread", "ofVirtual", "<init>");

    private static final DescribedPredicate<JavaAccess<?>> BLOCKS =
            describe(
                    "it blocks or starts a thread",
                    access -> {
                        var owner = access.getTargetOwner();
                        var name = access.getName();
                        if (owner.isEquivalentTo(Thread.class)) {
                            return THREAD.contains(name);
                        }
                        return owner.getPackageName().startsWith("java.util.concurrent.locks")
                                || owner.getSimpleName().equals("Executors")
                                || (name.equals("wait") && owner.isEquivalentTo(Object.class))
                                || (owner.getPackageName().equals("java.util.concurrent")
                                        && (BLOCKING.contains(name)
                                                || name.endsWith("Async")
                                                || name.equals("sleep")));
                    });

    /** The ports that the engine calls. A meter only counts. */
    private static final Set<Class<?>> PORTS =
            Set.of(TaskStore.class, Node.class, Cluster.class, Failpoints.class, EngineMeter.class);

    private static final DescribedPredicate<JavaAccess<?>> OTHER_PORT =
            describe(
                    "it calls a port other than store and node",
                    access ->
                            access.getTarget() instanceof CodeUnitAccessTarget
                                    && isOtherPort(access.getTargetOwner()));

    /** A port is an interface that another module implements; a sealed interface is a value. */
    private static boolean isOtherPort(JavaClass owner) {
        if (!PORT.test(owner) || owner.getSimpleName().equals("CancelJournal")) {
            return false;
        }
        var type = owner.reflect();
        return type.isInterface() && !type.isSealed() && !PORTS.contains(type.getNestHost());
    }
}
