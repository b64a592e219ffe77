package dev.berth.checks;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.tngtech.archunit.core.domain.JavaClasses;

import dev.berth.checks.Rule.Scope;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.stream.Stream;

class RulesTest {
    private static final Project PROJECT = Project.here();
    private static final JavaClasses PRODUCT = PROJECT.product();
    private static final JavaClasses PRODUCT_AND_TESTS = PROJECT.productAndTests();
    private static final JavaClasses OFFENDERS = PROJECT.offenders();
    private static final List<SourceFile> SOURCES = PROJECT.sources();

    @ParameterizedTest(name = "{0}")
    @MethodSource("rules")
    void holds(Rule rule) {
        rule.arch().check(rule.scope() == Scope.PRODUCT ? PRODUCT : PRODUCT_AND_TESTS);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("offenders")
    void catchesItsOffender(Rule rule, Class<?> offender) {
        var alone = OFFENDERS.that(equivalentTo(offender));

        assertThat(alone).hasSize(1);
        assertThat(rule.arch().evaluate(alone).hasViolation()).isTrue();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rules")
    void hasAnOffender(Rule rule) {
        assertThat(rule.offenders()).isNotEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("sourceRules")
    void holdsInEverySource(SourceRule rule) {
        assertThat(SOURCES.stream().filter(rule.isBrokenBy())).as(rule.name()).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("sourceRules")
    void catchesItsOffendingSources(SourceRule rule) {
        assertThat(rule.offenders()).isNotEmpty().allMatch(rule.isBrokenBy());
    }

    @Test
    void everySourceIsFormattedAndTheOffenderIsNot() {
        assertThat(PROJECT.unformatted())
                .as("files not in the house format; ./check --format rewrites them")
                .containsExactly("checks/src/test/resources/offenders/Unformatted.java");
    }

    static Stream<Rule> rules() {
        return Stream.of(
                        Boundaries.rules(),
                        HiddenInputs.rules(),
                        Conduct.rules(),
                        Shapes.rules(),
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
