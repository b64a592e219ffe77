import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.ZipFile;

/**
 * Prints the contents of a package as CycloneDX JSON, without a time and a random number: equal packages have equal lists.
 *
 * <p>Arguments: the version of Berth, the directory of the program, the lock file of the console.
 */
final class Sbom {

    private static final Pattern MAVEN = Pattern.compile("META-INF/maven/.*/pom\\.properties");
    private static final Pattern JAR = Pattern.compile("(.+)-([0-9][^-]*)\\.jar");
    private static final Pattern NPM =
            Pattern.compile("\"node_modules/([^\"]+)\": \\{\\s+\"version\": \"([^\"]+)\"([^}]*)");

    private record Component(String type, String group, String name, String version, String purl, String sha256) {}

    public static void main(String[] arguments) throws IOException, NoSuchAlgorithmException {
        var program = Path.of(arguments[1]);
        var components = new ArrayList<Component>();
        try (var jars = Files.list(program.resolve("lib"))) {
            for (var jar : jars.sorted().toList()) {
                if (!jar.endsWith("berth.jar")) {
                    components.add(library(jar));
                }
            }
        }
        components.addAll(pages(Files.readString(Path.of(arguments[2]))));
        components.add(runtime(program.resolve("runtime/release")));
        System.out.print(text(arguments[0], components));
    }

    private static Component library(Path jar) throws IOException, NoSuchAlgorithmException {
        var file = JAR.matcher(jar.getFileName().toString());
        if (!file.matches()) {
            throw new IOException("no version in the name of " + jar);
        }
        // JSpecify has no Maven description inside.
        var group = file.group(1).equals("jspecify") ? "org.jspecify" : group(jar);
        return new Component(
                "library",
                group,
                file.group(1),
                file.group(2),
                "pkg:maven/%s/%s@%s".formatted(group, file.group(1), file.group(2)),
                sha256(jar));
    }

    private static String group(Path jar) throws IOException {
        try (var zip = new ZipFile(jar.toFile())) {
            var entry = zip.stream().filter(one -> MAVEN.matcher(one.getName()).matches()).findFirst();
            if (entry.isEmpty()) {
                throw new IOException(jar + " does not name its Maven group");
            }
            var properties = new Properties();
            try (InputStream in = zip.getInputStream(entry.get())) {
                properties.load(in);
            }
            return properties.getProperty("groupId");
        }
    }

    private static String sha256(Path file) throws IOException, NoSuchAlgorithmException {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    }

    /** What the pages of the console are built from; tools of the build are marked "dev". */
    private static List<Component> pages(String lock) {
        var byName = new TreeMap<String, Component>();
        var found = NPM.matcher(lock);
        while (found.find()) {
            var name = found.group(1);
            if (!found.group(3).contains("\"dev\": true") && !name.contains("/node_modules/")) {
                byName.put(
                        name,
                        new Component(
                                "library",
                                "",
                                name,
                                found.group(2),
                                "pkg:npm/%s@%s".formatted(name.replace("@", "%40"), found.group(2)),
                                ""));
            }
        }
        return List.copyOf(byName.values());
    }

    private static Component runtime(Path release) throws IOException {
        var properties = new Properties();
        try (var in = Files.newBufferedReader(release)) {
            properties.load(in);
        }
        var version = properties.getProperty("JAVA_RUNTIME_VERSION", properties.getProperty("JAVA_VERSION"));
        return new Component("framework", "", "openjdk", version.replace("\"", ""), "", "");
    }

    private static String text(String version, List<Component> components) {
        var text = new StringBuilder();
        text.append("{\n  \"bomFormat\": \"CycloneDX\",\n  \"specVersion\": \"1.5\",\n  \"version\": 1,\n");
        text.append("  \"metadata\": {\n    \"component\": {\"type\": \"application\", \"bom-ref\": \"berth\", \"name\": \"berth\", ");
        text.append("\"version\": \"").append(version);
        text.append("\", \"licenses\": [{\"license\": {\"id\": \"Apache-2.0\"}}]}\n  },\n  \"components\": [\n");
        for (int i = 0; i < components.size(); i++) {
            append(components.get(i), text);
            text.append(i + 1 < components.size() ? ",\n" : "\n");
        }
        return text.append("  ]\n}\n").toString();
    }

    private static void append(Component one, StringBuilder text) {
        text.append("    {\"type\": \"").append(one.type()).append('"');
        field("bom-ref", one.purl().isEmpty() ? one.name() : one.purl(), text);
        field("group", one.group(), text);
        field("name", one.name(), text);
        field("version", one.version(), text);
        field("purl", one.purl(), text);
        if (!one.sha256().isEmpty()) {
            text.append(", \"hashes\": [{\"alg\": \"SHA-256\", \"content\": \"").append(one.sha256()).append("\"}]");
        }
        text.append('}');
    }

    private static void field(String name, String value, StringBuilder text) {
        if (!value.isEmpty()) {
            text.append(", \"").append(name).append("\": \"").append(value).append('"');
        }
    }
}
