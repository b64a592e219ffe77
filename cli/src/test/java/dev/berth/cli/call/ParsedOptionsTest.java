package dev.berth.cli.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.List;

class ParsedOptionsTest {

    private static final CommandOption COUNT =
            CommandOption.withValue("--count", "N", "how many").withShortName("-c");
    private static final CommandOption LOUD =
            CommandOption.flag("--loud", "shout").withShortName("-l");
    private static final CommandSyntax SYNTAX =
            new CommandSyntax("say", "WORD…", "Say words", List.of(COUNT, LOUD));

    private static ParsedOptions parse(String... words) {
        return ParsedOptions.parse(SYNTAX, List.of(words));
    }

    @Test
    void aValueMayFollowOrBeAttached() {
        assertThat(parse("--count", "5").value(COUNT)).isEqualTo("5");
        assertThat(parse("--count=5").value(COUNT)).isEqualTo("5");
        assertThat(parse("-c", "5").value(COUNT)).isEqualTo("5");
        assertThat(parse("-c5").value(COUNT)).isEqualTo("5");
        assertThat(parse("-c=5").value(COUNT)).isEqualTo("5");
        assertThat(parse("--count", "-5").value(COUNT)).isEqualTo("-5");
        assertThat(parse("--count=").value(COUNT)).isEmpty();
        assertThat(parse("--count=a=b").value(COUNT)).isEqualTo("a=b");
    }

    @Test
    void theLastOneCountsAndAllAreKept() {
        ParsedOptions options = parse("-c1", "x", "-c2");
        assertThat(options.value(COUNT)).isEqualTo("2");
        assertThat(options.values(COUNT)).containsExactly("1", "2");
        assertThat(options.arguments()).containsExactly("x");
        assertThat(parse().value(COUNT)).isNull();
        assertThat(parse().values(COUNT)).isEmpty();
    }

    @Test
    void nothingAfterTheMarkIsAnOption() {
        ParsedOptions options = parse("-l", "a", "--", "--count", "--", "-x");
        assertThat(options.has(LOUD)).isTrue();
        assertThat(options.has(COUNT)).isFalse();
        assertThat(options.hasDashes()).isTrue();
        assertThat(options.argumentsBeforeDashes()).containsExactly("a");
        assertThat(options.argumentsAfterDashes()).containsExactly("--count", "--", "-x");
        assertThat(options.arguments()).containsExactly("a", "--count", "--", "-x");
        assertThat(parse("-").arguments()).containsExactly("-");
    }

    @Test
    void homeAndHelpAreAcceptedEverywhere() {
        assertThat(parse("--home", "/x").value(CommandOption.HOME)).isEqualTo("/x");
        assertThat(parse("-h").has(CommandOption.HELP)).isTrue();
    }

    @Test
    void invalidArgumentsAreReported() {
        assertThatThrownBy(() -> parse("--cuont"))
                .isInstanceOf(UsageError.class)
                .hasMessage("unknown option --cuont: did you mean --count?");
        assertThatThrownBy(() -> parse("--co"))
                .hasMessage("unknown option --co: did you mean --count?");
        assertThatThrownBy(() -> parse("--\u001b[2J=1")).hasMessage("unknown option --\\e[2J");
        assertThatThrownBy(() -> parse("-x")).hasMessage("unknown option -x");
        assertThatThrownBy(() -> parse("--count")).hasMessage("option --count needs a value: N");
        assertThatThrownBy(() -> parse("--loud=yes")).hasMessage("option --loud takes no value");
        assertThatThrownBy(() -> parse("a").expectNoArguments()).hasMessage("unexpected 'a'");
    }

    @Test
    void helpTellsAll() {
        assertThat(SYNTAX.help())
                .isEqualTo(
                        """
                        Usage: berth say [OPTIONS] WORD…
                        Say words.

                          -c, --count N         how many
                          -l, --loud            shout
                          --home DIR            the server's home
                          --system              the server of this machine, not your own
                          -h, --help            show this
                        """);
    }
}
