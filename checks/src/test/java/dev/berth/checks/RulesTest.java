package dev.berth.checks;

import static com.tngtech.archunit.base.DescribedPredicate.describe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;

import dev.berth.checks.Rule.Scope;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

class RulesTest {
    private static final Project PROJECT = Project.here();
    private static final JavaClasses PRODUCT = PROJECT.product();
    private static final JavaClasses PRODUCT_AND_TESTS = PROJECT.productAndTests();
    private static final JavaClasses OFFENDERS = PROJECT.offenders();
    private static final List<SourceFile> SOURCES = Syntax.parsed(PROJECT.sources());
    private static final String LEDGER = "every test in docs/ledger.md exists once";

    @ParameterizedTest(name = "{0}")
    @MethodSource("rules")
    void holds(Rule rule) {
        var classes = rule.scope() == Scope.PRODUCT ? PRODUCT : PRODUCT_AND_TESTS;

        assertThat(rule.violations(classes)).as(rule.name()).isEmpty();
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("offenders")
    void catchesItsOffender(Rule rule, List<Class<?>> offender) {
        var alone = OFFENDERS.that(describe("offend", type -> isOneOf(offender, type)));

        assertThat(alone).hasSize(offender.size());
        assertThat(rule.violations(alone)).as(rule.name()).isNotEmpty();
    }

    private static boolean isOneOf(List<Class<?>> classes, JavaClass type) {
        return classes.stream().anyMatch(type::isEquivalentTo);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rules")
    void hasAnOffender(Rule rule) {
        assertThat(rule.offenders()).isNotEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("sourceRules")
    void holdsInEverySource(SourceRule rule) {
        var found = SOURCES.stream().flatMap(rule.violations()).toList();

        assertThat(found).as(rule.name()).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("sourceRules")
    void catchesItsOffendingSources(SourceRule rule) {
        assertThat(rule.offenders())
                .isNotEmpty()
                .allMatch(file -> rule.violations().apply(file).findAny().isPresent());
    }

    @Test
    void everyTestInTheLedgerExistsOnce() {
        var found = new Ledger(PRODUCT_AND_TESTS, OFFENDERS).violations(PROJECT.ledger());

        assertThat(found).as(LEDGER).isEmpty();
        assertThat(PROJECT.ledger()).contains("`SimulationTest#");
    }

    @Test
    void everyAttackOfTheTableHasATest() {
        var attacks = PROJECT.attacks();

        assertThat(new Ledger(PRODUCT_AND_TESTS, OFFENDERS).violations(attacks)).isEmpty();
        for (int number = 1; number <= 12; number++) {
            assertThat(attacks).containsPattern("\n\\| " + number + " \\| [^|]+ \\| `\\w+Test#");
        }
    }

    @Test
    void theLedgerCountsItsRows() {
        assertThat(PROJECT.ledger()).contains("\n" + Ledger.summary(PROJECT.ledger()) + "\n");
        assertThat(Ledger.summary("| A-01 | a | shown | `x` |\n| A-02 | b | open | c |\n"))
                .isEqualTo("2 rows: 1 shown, 0 partly, 1 open.");
    }

    @Test
    void aLedgerThatNamesNoTestOrTwoIsCaught() {
        var ledger = new Ledger(OFFENDERS);

        assertThat(ledger.violations("`RulesTest#holds`<br>`checks/RulesTest#holds`")).isEmpty();
        assertThat(ledger.violations("`NoSuchTest#holds`")).hasSize(1);
        assertThat(ledger.violations("`RulesTest#noSuchMethod`")).hasSize(1);
        assertThat(ledger.violations("`RulesTest#rules`")).as("not a test").hasSize(1);
        assertThat(ledger.violations("`core/RulesTest#holds`")).as("wrong module").hasSize(1);
        assertThat(ledger.violations("`SameName#test`")).as("two tests").hasSize(1);
        assertThat(ledger.violations("`SameName#onlyInOne`")).isEmpty();
        assertThat(ledger.violations("`RulesTest#`")).as("no method").hasSize(1);
    }

    @Test
    void aTestKillsAProcessAtEveryFailpoint() {
        var sources =
                Stream.concat(
                        SOURCES.stream().filter(file -> !file.isForTests()),
                        PROJECT.shims().stream());
        var tests = SOURCES.stream().filter(file -> file.path().contains("/endtoend/"));

        assertThat(Failpoints.withoutKill(sources, tests)).isEmpty();
    }

    @Test
    void aFailpointAtWhichNoTestKillsIsFound() {
        var sources =
                Stream.of(
                        new SourceFile("A.java", "failpoints.reach(\"engine.here\");"),
                        new SourceFile("shim.c", "reach(\"shim.there\");"),
                        new SourceFile("run.sh", "berth_at shim.elsewhere\n"));
        var test = new SourceFile("ATest.java", "List.of(\"engine.here\")");

        assertThat(Failpoints.withoutKill(sources, Stream.of(test)))
                .containsExactly("shim.elsewhere", "shim.there");
    }

    @Test
    void everyLockOwnerExistsAndHasALock() {
        var withLocks =
                SOURCES.stream()
                        .filter(file -> !file.isForTests())
                        .flatMap(SourceRule::locks)
                        .map(Violation::where)
                        .collect(Collectors.toSet());

        assertThat(withLocks).containsAll(LockOwners.NAMES);
    }

    @Test
    void everyModuleHasItsBoundaries() {
        assertThat(ModuleRules.MODULES)
                .extracting(ModuleRules.Module::name)
                .containsExactlyInAnyOrderElementsOf(PROJECT.javaModules());
    }

    @Test
    void everySourceIsFormattedAndTheOffenderIsNot() {
        assertThat(PROJECT.unformatted())
                .as("unformatted files; ./check --format rewrites them")
                .containsExactly("checks/src/test/resources/offenders/Unformatted.java");
    }

    static Stream<Rule> rules() {
        return Stream.of(
                        ModuleRules.rules(),
                        PackageCycles.rules(),
                        HiddenInputs.rules(),
                        EngineThread.rules(),
                        ForbiddenCalls.rules(),
                        ClassRules.rules(),
                        OwnershipRules.rules(),
                        SoakTags.rules())
                .flatMap(rules -> rules);
    }

    static Stream<Arguments> offenders() {
        return rules().flatMap(
                        rule ->
                                rule.offenders().stream()
                                        .map(offender -> arguments(rule, offender)));
    }

    static Stream<SourceRule> sourceRules() {
        return SourceRule.all();
    }
}
