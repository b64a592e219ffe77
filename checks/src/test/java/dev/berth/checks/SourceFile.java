package dev.berth.checks;

/**
 * A Java source file.
 *
 * @param path from the project's root: {@code core/src/main/java/…}
 */
record SourceFile(String path, String text) {

    String module() {
        return path.substring(0, path.indexOf('/'));
    }

    /** The simple name of the class. */
    String name() {
        return path.substring(path.lastIndexOf('/') + 1).replace(".java", "");
    }

    boolean isTest() {
        return path.contains("/src/test/");
    }

    /** The limits for tests apply to the test library too. */
    boolean isForTests() {
        return isTest() || module().equals("testkit");
    }

    boolean isPackageInfo() {
        return path.endsWith("/package-info.java");
    }

    long lines() {
        return text.lines().count();
    }

    @Override
    public String toString() {
        return path;
    }
}
