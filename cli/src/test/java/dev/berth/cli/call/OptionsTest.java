package dev.berth.cli.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.List;

class OptionsTest {

    private static final Option COUNT = Option.valued("--count", "N", "how many").or("-c");
    private static final Option LOUD = Option.flag("--loud", "shout").or("-l");
    private static final Syntax SYNTAX =
            new Syntax("say", "WORD…", "Say words", List.of(COUNT, LOUD));

    private static Options parse(String... words) {
        return Options.parse(SYNTAX, List.of(words));
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
        Options given = parse("-c1", "x", "-c2");
        assertThat(given.value(COUNT)).isEqualTo("2");
        assertThat(given.values(COUNT)).containsExactly("1", "2");
        assertThat(given.arguments()).containsExactly("x");
        assertThat(parse().value(COUNT)).isNull();
        assertThat(parse().values(COUNT)).isEmpty();
    }

    @Test
    void nothingAfterTheMarkIsAnOption() {
        Options given = parse("-l", "a", "--", "--count", "--", "-x");
        assertThat(given.has(LOUD)).isTrue();
        assertThat(given.has(COUNT)).isFalse();
        assertThat(given.marked()).isTrue();
        assertThat(given.beforeMark()).containsExactly("a");
        assertThat(given.afterMark()).containsExactly("--count", "--", "-x");
        assertThat(given.arguments()).containsExactly("a", "--count", "--", "-x");
        assertThat(parse("-").arguments()).containsExactly("-");
    }

    @Test
    void homeAndHelpAreUnderstoodEverywhere() {
        assertThat(parse("--home", "/x").value(Option.HOME)).isEqualTo("/x");
        assertThat(parse("-h").has(Option.HELP)).isTrue();
    }

    @Test
    void whatIsNotUnderstoodIsSaid() {
        assertThatThrownBy(() -> parse("--cuont"))
                .isInstanceOf(UsageError.class)
                .hasMessage("unknown option --cuont: did you mean --count?");
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
                          -h, --help            show this
                        """);
    }
}
