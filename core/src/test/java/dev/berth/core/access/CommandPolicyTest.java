package dev.berth.core.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.Rejected;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;

class CommandPolicyTest {

    private static final CommandPolicy POLICY =
            CommandPolicy.of(
                    List.of("^python ", "^bash train\\.sh"),
                    List.of("rm -rf", "(?m)^sudo\\b"),
                    Optional.of("Ask the lab."));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "python a.py | ''",
                "bash train.sh 1 | ''",
                "rm -rf x | denied rm -rf",
                "python a.py; rm -rf x | denied rm -rf",
                "\"python a.py\nsudo reboot\" | denied (?m)^sudo\\b",
                "ls | not_allowed ^python , ^bash train\\.sh",
                "\" python a.py\" | not_allowed ^python , ^bash train\\.sh"
            })
    void aRefusalNamesTheRule(String command, String why) {
        var text =
                POLICY.refusal(command)
                        .map(one -> one.params().get("variant") + " " + one.params().get("rule"))
                        .orElse("''");
        assertThat(text).isEqualTo(why);
    }

    @Test
    void aRefusalNamesTheSettingAndSaysWhatTheAdminWrote() {
        assertThat(POLICY.refusal("rm -rf x"))
                .contains(
                        new Rejected(
                                Rejected.Kind.FORBIDDEN,
                                "command.forbidden",
                                "command",
                                Map.of(
                                        "variant", "denied",
                                        "setting", "command_policy.deny",
                                        "rule", "rm -rf",
                                        "message", "Ask the lab.")));
    }

    @Test
    void withoutPatternsEverythingIsAllowed() {
        assertThat(CommandPolicy.OPEN.refusal("rm -rf /")).isEmpty();
    }

    @Test
    void aPatternThatTakesForeverRefusesInsteadOfHanging() {
        var slow = CommandPolicy.of(List.of(), List.of("a+b"), Optional.empty());
        assertThat(slow.refusal("a".repeat(100_000)).orElseThrow().params())
                .containsEntry("variant", "slow");
        var deep = CommandPolicy.of(List.of("^(x|y)*$"), List.of(), Optional.empty());
        assertThat(deep.refusal("xy".repeat(200_000)).orElseThrow().params())
                .containsEntry("variant", "slow");
        assertThat(deep.refusal("xyxy")).isEmpty();
    }
}
