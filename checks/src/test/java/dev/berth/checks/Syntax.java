package dev.berth.checks;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.SynchronizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import javax.lang.model.element.Modifier;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** What the JDK's parser finds in one source file. */
record Syntax(List<Method> methods, List<String> locks) {

    /**
     * @param name {@code Class#method}, with the outer classes
     * @param lines from the return type to the closing brace; annotations do not count
     */
    record Method(String name, long lines) {}

    private static final Map<SourceFile, Syntax> PARSED = new ConcurrentHashMap<>();

    private static final Pattern LOCK_TYPE =
            Pattern.compile(
                    "java\\.util\\.concurrent\\.(locks\\.(?!LockSupport).*|Semaphore)"
                            + "|java\\.util\\.concurrent\\.\\*");

    /** Parses all files at once, which is faster than one by one, and returns them. */
    static List<SourceFile> parsed(List<SourceFile> files) {
        parse(files);
        return files;
    }

    static Syntax of(SourceFile file) {
        if (!PARSED.containsKey(file)) {
            parse(List.of(file));
        }
        return PARSED.getOrDefault(file, new Syntax(List.of(), List.of()));
    }

    private static void parse(List<SourceFile> files) {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var task =
                (JavacTask)
                        compiler.getTask(
                                null,
                                null,
                                // Only the syntax matters: an offender need not be complete.
                                _ -> {},
                                List.of("-proc:none"),
                                null,
                                files.stream().map(Text::new).toList());
        // The compiler wraps the file objects, so a unit is matched to its file by URI.
        var byUri = files.stream().collect(Collectors.toMap(Text::uri, Function.identity()));
        try {
            var positions = Trees.instance(task).getSourcePositions();
            for (var unit : task.parse()) {
                var scanner = new Scanner(positions);
                scanner.scan(unit, null);
                PARSED.put(
                        byUri.get(unit.getSourceFile().toUri()),
                        new Syntax(List.copyOf(scanner.methods), List.copyOf(scanner.locks)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("parsing " + files, e);
        }
    }

    private static final class Text extends SimpleJavaFileObject {
        private final SourceFile file;

        Text(SourceFile file) {
            super(uri(file), JavaFileObject.Kind.SOURCE);
            this.file = file;
        }

        static URI uri(SourceFile file) {
            return URI.create("string:///" + file.path());
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return file.text();
        }
    }

    private static final class Scanner extends TreePathScanner<Void, Void> {
        private final SourcePositions positions;
        private final List<Method> methods = new ArrayList<>();
        private final List<String> locks = new ArrayList<>();

        Scanner(SourcePositions positions) {
            this.positions = positions;
        }

        @Override
        public Void visitMethod(MethodTree method, Void unused) {
            var body = method.getBody();
            if (body != null) {
                var first = method.getReturnType() == null ? body : method.getReturnType();
                methods.add(new Method(name(method), line(body, false) - line(first, true) + 1));
            }
            if (method.getModifiers().getFlags().contains(Modifier.SYNCHRONIZED)) {
                locks.add("synchronized method " + method.getName());
            }
            return super.visitMethod(method, unused);
        }

        private long line(Tree tree, boolean atStart) {
            CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
            long position =
                    atStart
                            ? positions.getStartPosition(unit, tree)
                            : positions.getEndPosition(unit, tree);
            return unit.getLineMap().getLineNumber(position);
        }

        private String name(MethodTree method) {
            var classes = new StringBuilder();
            for (var tree : getCurrentPath()) {
                if (tree instanceof ClassTree type && !type.getSimpleName().isEmpty()) {
                    classes.insert(0, type.getSimpleName() + (classes.isEmpty() ? "" : "."));
                }
            }
            return classes + "#" + method.getName();
        }

        @Override
        public Void visitSynchronized(SynchronizedTree block, Void unused) {
            locks.add("synchronized block");
            return super.visitSynchronized(block, unused);
        }

        @Override
        public Void visitImport(ImportTree tree, Void unused) {
            addLockType(tree.getQualifiedIdentifier());
            // Not its parts: the import is one use.
            return null;
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree tree, Void unused) {
            addLockType(tree);
            return super.visitMemberSelect(tree, unused);
        }

        private void addLockType(Tree name) {
            if (LOCK_TYPE.matcher(name.toString()).matches()) {
                locks.add(name.toString());
            }
        }
    }
}
