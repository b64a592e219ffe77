package dev.berth.findings.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.OptionalInt;

class MessageCausesTest {

    private static final String FRAMES =
            "Traceback (most recent call last):\n  File \"/home/u/t.py\", line 1\n    f()\n";

    /** Messages of many libraries, those that only the program itself explains among them. */
    @Test
    void theWordsOfAnExceptionNameItsCause() {
        var wrong = new ArrayList<String>();
        for (var row : LogCorpus.text("messages.tsv").lines().toList()) {
            var parts = row.split("\t", 2);
            if (!row.startsWith("#")) {
                var found = LogAnalyzer.diagnose(FRAMES + parts[1] + "\n", OptionalInt.of(1));
                if (found.filter(one -> one.cause().code().equals(parts[0])).isEmpty()) {
                    wrong.add(row + ": " + found);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "KeyError: 'access_token missing'",
                "IndexError: file not found in list",
                "TypeError: version must be str, not NoneType",
                "ValueError: Incompatible shapes: [32,521] vs. [32,527]"
            })
    void wordsAboutTheProgramItselfNameNoCause(String exception) {
        assertThat(MessageCauses.ofException(exception)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "'prog: unknown option --gpus', ARGUMENTS",
        "'qsub: Job exceeds queue resource limits', ARGUMENTS",
        "'Compilation failure', PACKAGES"
    })
    void aLineOfAToolMayAlsoBeAboutItsArguments(String line, Cause cause) {
        assertThat(MessageCauses.ofTool(line).map(MessageCauses.Meaning::cause)).contains(cause);
    }

    @Test
    void theMessageMayFollowInTheNextLines() {
        var text =
                FRAMES
                        + "ImportError: Error loading 'src.data.Module':\n"
                        + "ModuleNotFoundError(\"No module named 'scripts'\")\n";

        var found = LogAnalyzer.diagnose(text, OptionalInt.of(1)).orElseThrow();

        assertThat(found.cause()).isEqualTo(Cause.MODULE_MISSING);
        assertThat(found.params()).containsEntry("module", "scripts");
    }
}
