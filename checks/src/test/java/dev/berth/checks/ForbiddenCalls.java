package dev.berth.checks;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;

import dev.berth.server.offenders.PrintsToStdout;
import dev.berth.server.offenders.Sleeps;

import java.util.stream.Stream;

/** Calls that are forbidden in all modules. */
final class ForbiddenCalls {
    private ForbiddenCalls() {}

    static Stream<Rule> rules() {
        return Stream.of(
                Rule.everywhere(
                        "no sleeps: wait on a condition, in tests with Eventually",
                        noClasses().that(not(MAY_SLEEP)).should().accessTargetWhere(SLEEPS),
                        Sleeps.class.getDeclaredClasses()),
                Rule.product(
                        "only cli and app print",
                        noClasses()
                                .that(not(resideInAnyPackage("dev.berth.cli..", "dev.berth.app..")))
                                .should()
                                .accessTargetWhere(PRINTS),
                        PrintsToStdout.class.getDeclaredClasses()));
    }

    /** Classes whose subject is the passing of time. */
    private static final DescribedPredicate<JavaClass> MAY_SLEEP =
            nameMatching(
                            "dev\\.berth\\.(testkit\\.Eventually|cli\\.call\\.CliClock|app\\.HomeWatch|app\\.PreparedThreads"
                                + "|app\\.endtoend\\.(LoadSoakTest|LoadStreams|TimedRequests|MachineFaultSoakTest))(\\$.*)?")
                    .forSubtype();

    private static final DescribedPredicate<JavaAccess<?>> SLEEPS =
            describe(
                    "it sleeps",
                    access ->
                            access.getName().equals("sleep")
                                    && access.getTargetOwner()
                                            .getPackageName()
                                            .startsWith("java."));

    private static final DescribedPredicate<JavaAccess<?>> PRINTS =
            describe(
                    "it prints",
                    access ->
                            switch (access.getName()) {
                                case "out", "err" ->
                                        access.getTargetOwner().isEquivalentTo(System.class);
                                case "printStackTrace" -> Accesses.parameters(access) == 0;
                                default -> false;
                            });
}
