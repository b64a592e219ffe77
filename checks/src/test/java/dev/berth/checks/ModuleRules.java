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

import dev.berth.app.offenders.UsesTestkit;
import dev.berth.cli.offenders.UsesCore;
import dev.berth.cli.offenders.UsesJetty;
import dev.berth.codegen.offenders.UsesCli;
import dev.berth.config.offenders.UsesFileRuns;
import dev.berth.core.offenders.Logs;
import dev.berth.core.offenders.UsesEngine;
import dev.berth.core.offenders.UsesSql;
import dev.berth.engine.offenders.UsesStore;
import dev.berth.files.offenders.UsesConfig;
import dev.berth.findings.offenders.UsesTexts;
import dev.berth.jsontext.offenders.UsesWire;
import dev.berth.node.offenders.UsesEngineItself;
import dev.berth.node.offenders.UsesRunFiles;
import dev.berth.notify.offenders.ServesHttp;
import dev.berth.notify.offenders.UsesMetrics;
import dev.berth.port.offenders.UsesItsCaller;
import dev.berth.runs.offenders.UsesRoutes;
import dev.berth.server.offenders.CallsForeignFunctions;
import dev.berth.server.offenders.StartsProcesses;
import dev.berth.server.offenders.UsesMail;
import dev.berth.server.offenders.UsesNode;
import dev.berth.server.offenders.UsesYaml;
import dev.berth.telemetry.offenders.UsesAlerts;
import dev.berth.testkit.offenders.UsesServer;
import dev.berth.texts.offenders.UsesFindings;
import dev.berth.wire.offenders.UsesJson;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Which module may use which other modules and libraries. */
final class ModuleRules {
    private ModuleRules() {}

    /**
     * A module and what it may use of the others.
     *
     * @param uses modules, or packages of a module
     */
    record Module(String name, List<String> uses, List<Class<?>> offenders) {}

    private static final List<String> NOTIFY_USES =
            List.of(
                    "config",
                    "core",
                    "engine",
                    "feed",
                    "files",
                    "findings",
                    "json",
                    "port",
                    "texts",
                    "wire");

    /** Neither an adapter of a port nor the composition root. */
    private static final List<String> SERVER_USES =
            Stream.concat(
                            NOTIFY_USES.stream(),
                            Stream.of(
                                    "http", "identity", "notify", "retention", "runs", "telemetry"))
                    .toList();

    /** All but what exists only for the build and for tests. */
    private static final List<String> APP_USES =
            Stream.concat(
                            SERVER_USES.stream(),
                            Stream.of(
                                    "cli",
                                    "jsontext",
                                    "node",
                                    "nodeprocess",
                                    "nodesocket",
                                    "server",
                                    "simulator",
                                    "slurm",
                                    "store"))
                    .toList();

    /** What root's process reaches: no network, HTTP, YAML or database. */
    private static final List<String> NODE_PROCESS_USES =
            List.of("core", "files", "node", "nodesocket", "port");

    /** The one list of modules. All rules between modules follow from it. */
    static final List<Module> MODULES =
            List.of(
                    module("texts", List.of(), UsesFindings.class),
                    module("findings", List.of(), UsesTexts.class),
                    module("core", List.of("findings"), UsesEngine.class),
                    module("port", List.of("core", "findings"), UsesItsCaller.class),
                    module("engine", List.of("core", "findings", "port"), UsesStore.class),
                    module(
                            "feed",
                            List.of("core", "port"),
                            dev.berth.feed.offenders.UsesEngine.class),
                    module("files", List.of(), UsesConfig.class),
                    module("jsontext", List.of(), UsesWire.class),
                    module("wire", List.of(), dev.berth.wire.offenders.UsesCore.class),
                    module("codegen", List.of("wire"), UsesCli.class),
                    module("json", List.of("wire"), dev.berth.json.offenders.UsesFiles.class),
                    module("config", List.of("core", "files", "texts", "wire"), UsesFileRuns.class),
                    module(
                            "store",
                            List.of("core", "files", "findings", "jsontext", "port"),
                            dev.berth.store.offenders.UsesEngineItself.class),
                    module(
                            "node",
                            List.of("core", "files", "findings", "jsontext", "port"),
                            UsesEngineItself.class,
                            UsesRunFiles.class),
                    module(
                            "nodesocket",
                            List.of("core", "port"),
                            dev.berth.nodesocket.offenders.UsesNode.class),
                    module(
                            "nodeprocess",
                            NODE_PROCESS_USES,
                            dev.berth.nodeprocess.offenders.UsesServer.class),
                    module(
                            "slurm",
                            List.of("core", "node", "port"),
                            dev.berth.slurm.offenders.UsesEngine.class),
                    module(
                            "runs",
                            List.of("core", "engine", "feed", "files", "json", "port", "wire"),
                            UsesRoutes.class),
                    module("notify", NOTIFY_USES, UsesMetrics.class),
                    module(
                            "telemetry",
                            List.of("core", "engine", "files", "port"),
                            UsesAlerts.class),
                    module(
                            "retention",
                            List.of("core", "engine", "port"),
                            dev.berth.retention.offenders.UsesRoutes.class),
                    module(
                            "simulator",
                            List.of("core", "jsontext"),
                            dev.berth.simulator.offenders.UsesEngine.class),
                    module(
                            "http",
                            List.of("core", "engine", "files", "json", "port", "texts", "wire"),
                            dev.berth.http.offenders.UsesRoutes.class),
                    module(
                            "identity",
                            List.of("core", "engine", "http", "port", "wire"),
                            dev.berth.identity.offenders.UsesRoutes.class),
                    module(
                            "server",
                            SERVER_USES,
                            UsesNode.class,
                            dev.berth.server.offenders.UsesStore.class),
                    module("cli", List.of("jsontext", "texts", "wire"), UsesCore.class),
                    module(
                            "testkit",
                            List.of("core", "findings", "port"),
                            UsesServer.class,
                            dev.berth.testkit.offenders.UsesEngine.class),
                    module(
                            "testengine",
                            List.of("core", "engine", "port", "testkit"),
                            dev.berth.testengine.offenders.UsesServer.class),
                    module("app", APP_USES, UsesTestkit.class));

    private static Module module(String name, List<String> uses, Class<?>... offenders) {
        return new Module(name, uses, List.of(offenders));
    }

    static Stream<Rule> rules() {
        return Stream.concat(MODULES.stream().map(ModuleRules::boundary), libraries());
    }

    private static Rule boundary(Module module) {
        var used =
                module.uses().isEmpty()
                        ? "no other module"
                        : "only " + String.join(", ", module.uses());
        return Rule.product(
                module.name() + " uses " + used,
                usesOnly(module.name(), module.uses()),
                module.offenders().toArray(Class<?>[]::new));
    }

    private static Stream<Rule> libraries() {
        return Stream.of(
                Rule.product(
                        "core uses only findings and the value types of the JDK",
                        classes()
                                .that(resideInAPackage("dev.berth.core.."))
                                .should()
                                .onlyDependOnClassesThat(
                                        resideInAnyPackage(
                                                        "dev.berth.core..",
                                                        "dev.berth.findings..",
                                                        "java.lang",
                                                        "java.lang.annotation",
                                                        "java.lang.invoke",
                                                        "java.lang.runtime",
                                                        "java.util",
                                                        "java.util.function",
                                                        "java.util.regex",
                                                        "java.util.stream",
                                                        "java.time..",
                                                        "java.security",
                                                        "java.nio.charset",
                                                        "org.jspecify.annotations")
                                                .or(PRIMITIVE)),
                        Logs.class,
                        UsesSql.class),
                Rule.product(
                        "only store uses SQL",
                        onlyIn(List.of("store"), "java.sql..", "javax.sql..", "org.sqlite.."),
                        UsesSql.class),
                Rule.product(
                        "only json, runs, notify, http and server use a JSON library",
                        onlyIn(
                                List.of("json", "runs", "notify", "http", "server", "testkit"),
                                "tools.jackson..",
                                "com.fasterxml.."),
                        UsesJson.class),
                Rule.product(
                        "only config uses a YAML library",
                        onlyIn(List.of("config"), "org.snakeyaml.."),
                        UsesYaml.class),
                Rule.product(
                        "only http, identity, server and notify use an HTTP library",
                        onlyIn(
                                List.of("http", "identity", "server", "notify"),
                                "org.eclipse.jetty.."),
                        UsesJetty.class),
                Rule.product(
                        "only http, identity and server handle HTTP requests",
                        onlyIn(
                                List.of("http", "identity", "server"),
                                "org.eclipse.jetty.server..",
                                "org.eclipse.jetty.unixdomain.."),
                        UsesJetty.class,
                        ServesHttp.class),
                Rule.product(
                        "only notify uses a mail library",
                        onlyIn(
                                List.of("notify"),
                                "jakarta.mail..",
                                "jakarta.activation..",
                                "org.eclipse.angus.."),
                        UsesMail.class),
                Rule.product(
                        "the process of root uses no network, no HTTP, no YAML and no database",
                        noClasses()
                                .that(inModules(REACHED_BY_ROOT))
                                .should()
                                .dependOnClassesThat(USES_NETWORK_OR_PARSERS),
                        dev.berth.nodeprocess.offenders.OpensNetworkConnections.class),
                Rule.product(
                        "only node calls foreign functions",
                        onlyIn(List.of("node"), "java.lang.foreign.."),
                        CallsForeignFunctions.class),
                Rule.product(
                        "only node and slurm start and signal processes",
                        noClasses()
                                .that(not(inModules(List.of("node", "slurm", "app", "testkit"))))
                                .should()
                                .accessTargetWhere(STARTS_OR_SIGNALS),
                        StartsProcesses.class.getDeclaredClasses()));
    }

    /** All modules that {@code nodeprocess} uses, directly or through others. */
    private static final List<String> REACHED_BY_ROOT =
            List.of(
                    "nodeprocess",
                    "nodesocket",
                    "node",
                    "port",
                    "core",
                    "findings",
                    "files",
                    "jsontext");

    private static final Set<String> UNIX_SOCKETS =
            Set.of(
                    "java.net.StandardProtocolFamily",
                    "java.net.ProtocolFamily",
                    "java.net.SocketAddress",
                    "java.net.UnixDomainSocketAddress");

    private static final DescribedPredicate<JavaClass> USES_NETWORK_OR_PARSERS =
            describe(
                    "open network connections, or parse HTTP, YAML or SQL",
                    type -> {
                        var name = type.getPackageName();
                        return (name.startsWith("java.net")
                                        && !UNIX_SOCKETS.contains(type.getName()))
                                || name.startsWith("java.sql")
                                || name.startsWith("org.sqlite")
                                || name.startsWith("org.snakeyaml")
                                || name.startsWith("org.eclipse.jetty")
                                || name.startsWith("tools.jackson")
                                || name.startsWith("jakarta.mail");
                    });

    private static final DescribedPredicate<JavaClass> PRIMITIVE =
            describe("are primitive", type -> type.getBaseComponentType().isPrimitive());

    private static final Set<String> SIGNALS = Set.of("destroy", "destroyForcibly");

    /** Reading a pid from a handle is allowed. */
    private static final DescribedPredicate<JavaAccess<?>> STARTS_OR_SIGNALS =
            describe(
                    "it starts or signals a process",
                    access -> {
                        var owner = access.getTargetOwner();
                        var name = access.getName();
                        return owner.isEquivalentTo(ProcessBuilder.class)
                                || (owner.isEquivalentTo(Runtime.class) && name.equals("exec"))
                                || (isProcess(owner) && SIGNALS.contains(name));
                    });

    private static boolean isProcess(JavaClass owner) {
        return owner.isEquivalentTo(Process.class) || owner.isEquivalentTo(ProcessHandle.class);
    }

    /**
     * Of the project's classes, a module may use its own and those of the modules (or packages)
     * listed. Classes of libraries are not restricted here.
     */
    private static ArchRule usesOnly(String module, List<String> others) {
        var allowed =
                Stream.concat(Stream.of(module), others.stream())
                        .map(ModuleRules::inside)
                        .toArray(String[]::new);
        return classes()
                .that(resideInAPackage(inside(module)))
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(allowed).or(not(resideInAPackage("dev.berth.."))));
    }

    private static ArchRule onlyIn(List<String> modules, String... packages) {
        return noClasses()
                .that(not(inModules(modules)))
                .should()
                .dependOnClassesThat(resideInAnyPackage(packages));
    }

    private static DescribedPredicate<JavaClass> inModules(List<String> modules) {
        return resideInAnyPackage(modules.stream().map(ModuleRules::inside).toArray(String[]::new));
    }

    private static String inside(String module) {
        return "dev.berth." + module + "..";
    }
}
