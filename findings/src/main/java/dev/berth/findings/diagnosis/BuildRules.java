package dev.berth.findings.diagnosis;

import static dev.berth.findings.diagnosis.Cause.PACKAGES;
import static dev.berth.findings.diagnosis.CauseRule.Where.ANYWHERE;
import static dev.berth.findings.diagnosis.CauseRule.Where.AT_THE_END;
import static dev.berth.findings.diagnosis.CauseRule.Where.EXCEPTION;

import dev.berth.findings.diagnosis.CauseRule.LineRule;

import java.util.List;

/** Packages that cannot be resolved, downloaded or built: installers, compilers, build tools. */
final class BuildRules {

    /** A name with a version, as in {@code numpy==2.0}: only the name counts. */
    private static final String NAME = "[A-Za-z0-9][\\w.\\[\\],-]{0,80}";

    private static final String COMPILE = "compile";

    static final List<CauseRule> ALL =
            List.of(compiler(), solver(), resolver(), step(), script(), installer(), exceptions());

    /** What make and ninja say last: the tool that failed says more, whatever it is. */
    static final List<CauseRule> SUMMARY = List.of(summary());

    private BuildRules() {}

    private static CauseRule compiler() {
        return LineRule.of(
                        PACKAGES,
                        ANYWHERE,
                        "^\\s{0,16}\\S{1,200}\\.(?:c|cc|cpp|cxx|cu|cuh|h|hh|hpp|pyx|f|f90|rs|go)"
                                + "(?::\\d{1,7}){1,2}: (?:(?:fatal )?error: )",
                        "^\\s{0,16}[^\\s(]{1,200}\\(\\d{1,7}\\):" + " (?:(?:fatal )?error\\b)",
                        "^\\s{0,16}\\S{1,200}\\.go:\\d{1,7}:\\d{1,5}: \\S",
                        "^\\s{0,16}(?:nvcc|ptxas|nvlink) (?:fatal)\\s{0,6}: ",
                        "^\\s{0,16}ptxas \\S{1,200}, line \\d{1,7}; (?:error)",
                        "(?:unsupported GNU version)",
                        "(?:detected CUDA version \\([\\d.]+\\) mismatches the version)",
                        "\\d errors? (?:detected in the compilation of) \"",
                        "^\\s{0,16}nvcc (?:error) (?!while executing)",
                        "^\\s{0,16}CMake Error\\b",
                        "^\\s{0,16}(?:/\\S{1,120}/)?(?:ld|ld\\.gold|ld\\.lld): (?:cannot find"
                                + " -l\\S+)",
                        "(?:undefined reference to (?:[`']|symbol ))",
                        "^\\s{0,16}error(?:\\[E\\d{4}\\])?: (?:linker `|could not compile `)",
                        "^\\s{0,16}error\\[E\\d{4}\\]: ",
                        "^\\s{0,16}(?:gcc|g\\+\\+|cc|c\\+\\+|nvcc|clang)(?:-\\d{1,2})?: (?:(?:fatal"
                                + " )?error: )")
                .first()
                .kind(COMPILE);
    }

    /** The name of the exception goes before the explanation that follows it. */
    private static CauseRule solver() {
        return LineRule.of(
                        PACKAGES,
                        ANYWHERE,
                        "^(?:LibMamba)?UnsatisfiableError|^PackagesNotFoundError:|^ResolvePackageNotFound:")
                .first();
    }

    private static CauseRule resolver() {
        return LineRule.of(
                PACKAGES,
                ANYWHERE,
                "^(?:ERROR: )?No matching distribution found for (?<package>" + NAME + ")",
                "^(?:ERROR: |\\S*\\.)?ResolutionImpossible",
                "^(?:ERROR: )?Cannot install (?<package3>[\\w.\\[\\]=-]+)",
                "^(?:ERROR: )?Package '(?<package4>" + NAME + ")' requires a different Python",
                "^(?:ERROR: )?(?<package5>\\S{1,120}\\.whl) is not a supported wheel",
                "THESE PACKAGES DO NOT MATCH THE HASHES|externally-managed-environment",
                "(?:libmamba )?Could not solve for environment specs",
                "\\bNo solution found when resolving dependencies",
                "^\\s{0,4}(?:SolverProblemError|Because .{1,200}? version solving failed\\.)",
                "version solving failed",
                "Unable to find installation candidates for (?<package6>" + NAME + ")",
                "current project's Python requirement .{0,80}? is not compatible",
                "poetry\\.lock (?:is not up to date|was last generated)",
                "(?:^|\\W)ResolutionFailure[\\]:]|Failed to lock Pipfile\\.lock",
                "Could not find a version that matches (?<package7>" + NAME + ")",
                "^npm (?:ERR!|error) code (?!ELIFECYCLE)(?:E\\w{3,20})");
    }

    /** What a step of a build says, before the installer sums it up. */
    private static CauseRule step() {
        return LineRule.of(
                        PACKAGES,
                        ANYWHERE,
                        "^\\s{0,16}error: \\[Errno \\d{1,3}\\] ",
                        "^\\s{0,4}error in \\S{1,60} setup command",
                        "^\\s{0,16}nvcc (?:error while executing) ")
                .first();
    }

    /** An exception of a package's own script. */
    private static CauseRule script() {
        return LineRule.of(
                PACKAGES,
                CauseRule.Where.INSTALLED,
                "^(?!.{0,200}?(?:Error compiling objects|hook\\w{0,20}Exception))[\\w.]{1,120}:"
                        + " \\S");
    }

    private static CauseRule installer() {
        return LineRule.of(
                PACKAGES,
                ANYWHERE,
                "^\\s{0,4}(?:ERROR: )?Failed building wheel for (?<package2>[\\w.-]+)",
                "^(?:ERROR: )?Failed to build installable wheels",
                "^\\s{0,4}(?:ERROR: )?Could not build wheels for (?<package>[\\w.-]+)",
                "^\\s{0,16}error: command '[^']{1,200}' (?:failed|terminated)",
                "^\\s{0,16}error: (?:metadata-generation-failed|subprocess-exited-with-error)",
                "Command [\"'].{0,300}?setup\\.py.{0,300}? failed with error code",
                "^\\W{0,6}Failed to (?:build|download|prepare) [`‘'](?<package4>" + NAME + ")",
                "^\\s{0,16}error: failed to run custom build command",
                "^(?:ERROR: )?Invalid requirement|^(?:ERROR: )?Error \\[Errno \\d+\\].{0,80}?while"
                        + " executing command",
                "^(?:ERROR: )?Could not install packages due to an (?!.{0,60}?\\[Errno 13\\])");
    }

    private static CauseRule exceptions() {
        return LineRule.of(
                        PACKAGES,
                        EXCEPTION,
                        "Error building extension '(?<package>[^']{1,60})'",
                        "^(?:\\w++\\.)*+(?:CompileError|LinkError|DistutilsError|DistutilsExecError)\\b",
                        "Error compiling objects for extension|Ninja is required to load",
                        "CUDA_HOME environment variable is not set",
                        "^(?:[\\w.]{0,100}\\.)?(?:InstallationError|MetadataGenerationFailed)\\b")
                .first();
    }

    private static CauseRule summary() {
        return LineRule.of(
                        PACKAGES,
                        AT_THE_END,
                        "^ninja: build stopped: (?:subcommand failed)",
                        "^make(?:\\[\\d{1,2}\\])?: \\*\\*\\* .{1,200}? (?:Error) \\d{1,3}$",
                        "^collect2: (?:error): ",
                        "^-- Configuring incomplete, (?:errors) occurred")
                .kind(COMPILE);
    }
}
