import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Completes a list of classes for {@code -Xshare:dump}: for each class, the entries of its constant pool that the JVM may
 * resolve ahead. The indices depend on the compiler and on jlink, so the list that is kept in the project has only names.
 *
 * <p>Arguments: the list, then jars. Prints the complete list.
 */
final class ConstantPools {

    private static final int UTF8 = 1;
    private static final int INTEGER = 3;
    private static final int FLOAT = 4;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;
    private static final int CLASS = 7;
    private static final int STRING = 8;
    private static final int FIELD = 9;
    private static final int METHOD = 10;
    private static final int INTERFACE_METHOD = 11;
    private static final int NAME_AND_TYPE = 12;
    private static final int METHOD_HANDLE = 15;
    private static final int METHOD_TYPE = 16;
    private static final int DYNAMIC = 17;
    private static final int INVOKE_DYNAMIC = 18;
    private static final int MODULE = 19;
    private static final int PACKAGE = 20;

    public static void main(String[] arguments) throws IOException {
        var lines = Files.readAllLines(Path.of(arguments[0]));
        var text = new StringBuilder();
        var pools = new StringBuilder();
        try (var loader = new URLClassLoader(jars(arguments))) {
            for (var line : lines) {
                text.append(line).append('\n');
                if (!line.startsWith("@") && !line.startsWith("#")) {
                    appendPool(line, loader, pools);
                }
            }
        }
        System.out.print(text.append(pools));
    }

    private static URL[] jars(String[] arguments) throws MalformedURLException {
        List<URL> jars = new ArrayList<>();
        for (int i = 1; i < arguments.length; i++) {
            jars.add(Path.of(arguments[i]).toUri().toURL());
        }
        return jars.toArray(URL[]::new);
    }

    /** A class that no longer exists is left out; the JVM does the same with its name. */
    private static void appendPool(String name, ClassLoader loader, StringBuilder pools)
            throws IOException {
        try (var in = loader.getResourceAsStream(name + ".class")) {
            var indices = in == null ? "" : resolvable(new DataInputStream(new BufferedInputStream(in)));
            if (!indices.isEmpty()) {
                pools.append("@cp ").append(name).append(indices).append('\n');
            }
        }
    }

    private static String resolvable(DataInputStream in) throws IOException {
        in.skipNBytes(8); // magic and version
        int count = in.readUnsignedShort();
        var indices = new StringBuilder();
        for (int index = 1; index < count; index++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case CLASS, FIELD, METHOD, INTERFACE_METHOD, INVOKE_DYNAMIC ->
                        indices.append(' ').append(index);
                default -> {}
            }
            switch (tag) {
                case UTF8 -> in.skipNBytes(in.readUnsignedShort());
                case INTEGER, FLOAT, FIELD, METHOD, INTERFACE_METHOD, NAME_AND_TYPE, DYNAMIC, INVOKE_DYNAMIC ->
                        in.skipNBytes(4);
                case LONG, DOUBLE -> {
                    in.skipNBytes(8);
                    index++; // takes two entries
                }
                case CLASS, STRING, METHOD_TYPE, MODULE, PACKAGE -> in.skipNBytes(2);
                case METHOD_HANDLE -> in.skipNBytes(3);
                default -> throw new IOException("unknown constant " + tag);
            }
        }
        return indices.toString();
    }
}
