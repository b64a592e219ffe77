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

/** What no code does, wherever it is. */
final class Conduct {
    private Conduct() {}

    static Stream<Rule> rules() {
        return Stream.of(
                Rule.everywhere(
                        "nobody sleeps: wait on a condition, tests by Eventually",
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

    /** Waiting for its own sake lives in one place for tests and one for the CLI's polling. */
    private static final DescribedPredicate<JavaClass> MAY_SLEEP =
            nameMatching("dev\\.berth\\.(testkit\\.Eventually|cli\\.call\\.Time)(\\$.*)?")
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
