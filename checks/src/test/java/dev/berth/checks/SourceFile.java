package dev.berth.checks;

/** A Java file: {@code core/src/main/java/…} and what it says. */
record SourceFile(String path, String text) {

    String module() {
        return path.substring(0, path.indexOf('/'));
    }

    boolean isTest() {
        return path.contains("/src/test/");
    }

    /** The test library runs whatever a test hands it. */
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
