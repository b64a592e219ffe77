package dev.berth.checks;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;

import dev.berth.app.offenders.KnowsTheTestkit;
import dev.berth.cli.offenders.KnowsTheCore;
import dev.berth.core.offenders.KnowsTheEngine;
import dev.berth.core.offenders.Logs;
import dev.berth.core.offenders.SpeaksSql;
import dev.berth.engine.offenders.KnowsTheStore;
import dev.berth.node.offenders.KnowsTheLoop;
import dev.berth.server.offenders.CallsForeignFunctions;
import dev.berth.server.offenders.KnowsTheNode;
import dev.berth.server.offenders.StartsProcesses;
import dev.berth.testkit.offenders.KnowsTheServer;
import dev.berth.wire.offenders.SpeaksJson;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Which module may use what. */
final class Boundaries {
    private Boundaries() {}

    static Stream<Rule> rules() {
        return Stream.concat(betweenModules(), toTheOutside());
    }

    private static Stream<Rule> betweenModules() {
        return Stream.of(
                Rule.product("core knows no other module", knowsOnly("core"), KnowsTheEngine.class),
                Rule.product(
                        "engine knows core alone",
                        knowsOnly("engine", "core"),
                        KnowsTheStore.class),
                Rule.product(
                        "store knows core and the engine's ports",
                        knowsOnly("store", "core", "engine.port"),
                        dev.berth.store.offenders.KnowsTheLoop.class),
                Rule.product(
                        "node knows core and the engine's ports",
                        knowsOnly("node", "core", "engine.port"),
                        KnowsTheLoop.class),
                Rule.product(
                        "wire knows nothing",
                        knowsOnly("wire"),
                        dev.berth.wire.offenders.KnowsTheCore.class),
                Rule.product(
                        "server knows neither store nor node",
                        knowsOnly("server", "core", "engine", "wire"),
                        KnowsTheNode.class,
                        dev.berth.server.offenders.KnowsTheStore.class),
                Rule.product("cli knows wire alone", knowsOnly("cli", "wire"), KnowsTheCore.class),
                Rule.product(
                        "testkit knows core and engine alone",
                        knowsOnly("testkit", "core", "engine"),
                        KnowsTheServer.class),
                Rule.product(
                        "the program ships no test library",
                        knowsOnly(
                                "app", "core", "engine", "store", "node", "wire", "server", "cli"),
                        KnowsTheTestkit.class));
    }

    private static Stream<Rule> toTheOutside() {
        return Stream.of(
                Rule.product(
                        "core uses values of the JDK and nothing else",
                        classes()
                                .that(resideInAPackage("dev.berth.core.."))
                                .should()
                                .onlyDependOnClassesThat(
                                        resideInAnyPackage(
                                                        "dev.berth.core..",
                                                        "java.lang",
                                                        "java.lang.annotation",
                                                        "java.lang.invoke",
                                                        "java.lang.runtime",
                                                        "java.util",
                                                        "java.util.function",
                                                        "java.util.regex",
                                                        "java.util.stream",
                                                        "java.time..",
                                                        "org.jspecify.annotations")
                                                .or(PRIMITIVE)),
                        Logs.class,
                        SpeaksSql.class),
                Rule.product(
                        "only store speaks SQL",
                        onlyIn(List.of("store"), "java.sql..", "javax.sql..", "org.sqlite.."),
                        SpeaksSql.class),
                Rule.product(
                        "only server has a JSON library",
                        onlyIn(List.of("server"), "tools.jackson..", "com.fasterxml.."),
                        SpeaksJson.class),
                Rule.product(
                        "only server knows its HTTP library",
                        onlyIn(List.of("server"), "org.eclipse.jetty.."),
                        dev.berth.cli.offenders.KnowsJetty.class),
                Rule.product(
                        "only node calls foreign functions",
                        onlyIn(List.of("node"), "java.lang.foreign.."),
                        CallsForeignFunctions.class),
                Rule.product(
                        "only node starts and signals processes",
                        noClasses()
                                .that(not(inModules(List.of("node", "app", "testkit"))))
                                .should()
                                .accessTargetWhere(STARTS_OR_SIGNALS),
                        StartsProcesses.class.getDeclaredClasses()));
    }

    private static final DescribedPredicate<JavaClass> PRIMITIVE =
            describe("are primitive", type -> type.getBaseComponentType().isPrimitive());

    private static final Set<String> ENDINGS = Set.of("destroy", "destroyForcibly");

    /** Asking a handle for a pid is harmless; these are not. */
    private static final DescribedPredicate<JavaAccess<?>> STARTS_OR_SIGNALS =
            describe(
                    "it starts or signals a process",
                    access -> {
                        var owner = access.getTargetOwner();
                        var name = access.getName();
                        return owner.isEquivalentTo(ProcessBuilder.class)
                                || (owner.isEquivalentTo(Runtime.class) && name.equals("exec"))
                                || (isProcess(owner) && ENDINGS.contains(name));
                    });

    private static boolean isProcess(JavaClass owner) {
        return owner.isEquivalentTo(Process.class) || owner.isEquivalentTo(ProcessHandle.class);
    }

    /**
     * Of the project's own classes, a module's may use those of the modules (or packages) named.
     */
    private static ArchRule knowsOnly(String module, String... others) {
        var known =
                Stream.concat(Stream.of(module), Stream.of(others))
                        .map(Boundaries::inside)
                        .toArray(String[]::new);
        return classes()
                .that(resideInAPackage(inside(module)))
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(known).or(not(resideInAPackage("dev.berth.."))));
    }

    private static ArchRule onlyIn(List<String> modules, String... packages) {
        return noClasses()
                .that(not(inModules(modules)))
                .should()
                .dependOnClassesThat(resideInAnyPackage(packages));
    }

    private static DescribedPredicate<JavaClass> inModules(List<String> modules) {
        return resideInAnyPackage(modules.stream().map(Boundaries::inside).toArray(String[]::new));
    }

    private static String inside(String module) {
        return "dev.berth." + module + "..";
    }
}
