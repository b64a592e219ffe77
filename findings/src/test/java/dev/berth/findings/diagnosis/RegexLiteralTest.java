package dev.berth.findings.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RegexLiteralTest {

    @ParameterizedTest
    @CsvSource({
        "'^Killed$', killed",
        "'\\bCUDA out of memory', cuda out of memory",
        "'(?:CUDA|HIP) out of memory', ' out of memory'",
        "'Kill(?:ed)? process \\d+', ' process '",
        "'a\\.b\\(c', a.b(c",
        "'col?our of', our of",
        "'(?:pod|job) [ep]', pod/job",
        "'x(?<path>the path)y', the path",
        "'(?!never)[abc]+', ''",
        "'(?:optional text)?end', end"
    })
    void everyMatchContainsTheLiteral(String regex, String literal) {
        assertThat(String.join("/", RegexLiteral.of(regex))).isEqualTo(literal);
    }

    @Test
    void alternativesAreSplitOutsideOfGroups() {
        assertThat(RegexLiteral.alternatives("(?i)a(?:b|c)|d[|]e|f\\|g"))
                .containsExactly("(?i)a(?:b|c)", "(?i)d[|]e", "(?i)f\\|g");
    }

    /** A pattern without a literal would not be tried on a line without other keywords. */
    @Test
    void everyRuleForPlainLinesHasLiterals() {
        for (var rule : CauseRules.ALL) {
            if (rule instanceof CauseRule.LineRule line) {
                switch (line.where()) {
                    case STATEMENT, AT_THE_END, ANYWHERE ->
                            assertThat(line.patterns())
                                    .allSatisfy(one -> assertThat(one.literals()).isNotEmpty());
                    case RAISED,
                            FOLLOWING,
                            EXCEPTION,
                            LAUNCHED,
                            NESTED,
                            INSTALLED,
                            LOGGED,
                            LAST_ERROR -> {}
                }
            }
        }
    }
}
