package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;

import dev.berth.findings.diagnosis.Cause;
import dev.berth.texts.Catalogue;
import dev.berth.texts.Language;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

/**
 * Every code that the sources pass to a rejection has a sentence. The codes are read from the
 * sources with the compiler's parser; a code that it cannot follow fails the test, too.
 */
final class SentenceCodesTest {

    /** Which argument is the code. */
    private static final Map<String, Integer> FACTORIES = factories();

    /** These define the factories. */
    private static final Set<String> DEFINITIONS =
            Set.of(
                    "Rejected.java",
                    "RejectedException.java",
                    "RouteResponse.java",
                    "Sentences.java",
                    "BlockProblem.java",
                    "BlockProblemsText.java");

    private static Map<String, Integer> factories() {
        var all = new TreeMap<String, Integer>();
        var names = "malformed invalid impossible conflict notFound forbidden tooMany unavailable";
        for (var name : names.split(" ", -1)) {
            all.put("Rejected." + name, 0);
        }
        all.put("RejectedException.invalid", 0);
        all.put("RejectedException.malformed", 0);
        all.put("RouteResponse.problem", 1);
        all.put("RouteResponse.tooManyRequests", 0);
        all.put("Sentences.problem", 0);
        all.put("new Rejected", 1);
        all.put("new BlockProblem", 1);
        return all;
    }

    @ParameterizedTest
    @EnumSource(Language.class)
    void everyCodeOfTheSourcesHasASentence(Language language) throws IOException {
        var codes = new TreeSet<String>();
        for (var source : sources()) {
            var found = new Codes();
            found.scanUntilNothingIsNew(source);
            assertThat(found.unknown).as(source.toString()).isEmpty();
            codes.addAll(found.codes);
        }
        assertThat(codes).hasSizeGreaterThan(100).contains("field.missing", "*.invalid");
        var keys = Catalogue.in(language).keys();
        assertThat(codes).allSatisfy(code -> assertThat(keys).anyMatch(key -> fits(key, code)));
    }

    private static boolean fits(String key, String code) {
        var any = "*" + code.substring(Math.max(0, code.indexOf('.')));
        return Stream.of("problem." + code, "problem." + any, "block." + code)
                .anyMatch(one -> key.equals(one) || key.startsWith(one + "."));
    }

    @ParameterizedTest
    @EnumSource(Cause.class)
    void everyCauseHasASentenceAndAnAdvice(Cause cause) {
        for (var language : Language.values()) {
            var catalogue = Catalogue.in(language);
            assertThat(catalogue.contains("cause." + cause.code())).isTrue();
            assertThat(catalogue.contains("advice." + cause.code())).isTrue();
        }
    }

    @Test
    void aCodeInAHelperMethodIsFoundAndOneFromElsewhereIsNot(@TempDir Path folder)
            throws IOException {
        var source =
                Files.writeString(
                        folder.resolve("Offender.java"),
                        """
                        class Offender {
                          Object a() { return helper("no.such"); }
                          Object helper(String code) { return Rejected.conflict(code); }
                          Object b(String name) { return Rejected.invalid(name + ".odd", name); }
                          Object c() { return Rejected.conflict(System.lineSeparator()); }
                        }
                        """);
        var found = new Codes();
        found.scanUntilNothingIsNew(source);
        assertThat(found.codes).containsExactly("*.odd", "no.such");
        assertThat(found.unknown).hasSize(1);
        assertThat(Catalogue.in(Language.ENGLISH).keys()).noneMatch(key -> fits(key, "no.such"));
    }

    private static List<Path> sources() throws IOException {
        var root = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(root.resolve("texts"))) {
            root = Objects.requireNonNull(root.getParent());
        }
        var all = new ArrayList<Path>();
        try (var modules = Files.newDirectoryStream(root)) {
            for (var module : modules) {
                var main = module.resolve("src/main/java");
                if (Files.isDirectory(main)) {
                    addAll(main, all);
                }
            }
        }
        return all;
    }

    private static void addAll(Path folder, List<Path> to) throws IOException {
        try (var files = Files.walk(folder)) {
            files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !DEFINITIONS.contains(String.valueOf(file.getFileName())))
                    .forEach(to::add);
        }
    }

    /** The codes in one file. Methods that pass a parameter on as code count as factories. */
    private static final class Codes extends TreeScanner<@Nullable Void, @Nullable Void> {
        private final TreeSet<String> codes = new TreeSet<>();
        private final TreeSet<String> unknown = new TreeSet<>();
        private final TreeMap<String, Integer> helpers = new TreeMap<>();
        private final TreeMap<String, String> prefixes = new TreeMap<>();
        private @Nullable MethodTree method;

        void scanUntilNothingIsNew(Path source) throws IOException {
            int known;
            do {
                known = helpers.size();
                codes.clear();
                unknown.clear();
                parse(source);
            } while (helpers.size() > known);
        }

        private void parse(Path source) throws IOException {
            var compiler = ToolProvider.getSystemJavaCompiler();
            try (var files = compiler.getStandardFileManager(null, Locale.ROOT, null)) {
                var options = List.of("-proc:none");
                var inputs = files.getJavaFileObjects(source);
                var task = (JavacTask) compiler.getTask(null, files, null, options, null, inputs);
                for (var unit : task.parse()) {
                    scan(unit, null);
                }
            }
        }

        @Override
        public @Nullable Void visitMethod(MethodTree tree, @Nullable Void none) {
            var outer = method;
            method = tree;
            super.visitMethod(tree, none);
            method = outer;
            return null;
        }

        @Override
        public @Nullable Void visitMethodInvocation(
                MethodInvocationTree tree, @Nullable Void none) {
            switch (tree.getMethodSelect()) {
                case MemberSelectTree select ->
                        call(select.toString().replaceAll("\\s", ""), tree.getArguments());
                case IdentifierTree name -> call(name.toString(), tree.getArguments());
                default -> {}
            }
            return super.visitMethodInvocation(tree, none);
        }

        @Override
        public @Nullable Void visitNewClass(NewClassTree tree, @Nullable Void none) {
            call("new " + tree.getIdentifier(), tree.getArguments());
            return super.visitNewClass(tree, none);
        }

        private void call(String name, List<? extends ExpressionTree> arguments) {
            var helper = name + "/" + arguments.size();
            int index = FACTORIES.getOrDefault(name, helpers.getOrDefault(helper, -1));
            if (index >= 0 && index < arguments.size()) {
                add(prefixes.getOrDefault(helper, ""), arguments.get(index));
            }
        }

        private void add(String prefix, ExpressionTree code) {
            switch (code) {
                case LiteralTree literal -> codes.add(prefix + literal.getValue());
                case BinaryTree sum when sum.getRightOperand() instanceof LiteralTree ending ->
                        codes.add("*" + ending.getValue());
                case BinaryTree sum
                        when sum.getLeftOperand() instanceof LiteralTree start
                                && sum.getRightOperand() instanceof IdentifierTree name ->
                        passOn(String.valueOf(start.getValue()), name);
                case IdentifierTree name -> passOn(prefix, name);
                // The code of a rejection that was made elsewhere.
                case MethodInvocationTree call when call.toString().endsWith(".code()") -> {}
                case MethodInvocationTree call
                        when call.toString().contains("remove(\"problem\")") -> {}
                default -> unknown.add(code.toString());
            }
        }

        private void passOn(String prefix, IdentifierTree name) {
            var current = method;
            var parameters = current == null ? List.<String>of() : parameters(current);
            int index = parameters.indexOf(name.toString());
            if (current == null || index < 0) {
                unknown.add(name.toString());
                return;
            }
            var helper = current.getName() + "/" + parameters.size();
            helpers.put(helper, index);
            prefixes.put(helper, prefix);
        }

        private static List<String> parameters(MethodTree method) {
            return method.getParameters().stream().map(one -> one.getName().toString()).toList();
        }
    }
}
