package dev.berth.findings.diagnosis;

import static dev.berth.findings.diagnosis.Cause.MODULE_MISSING;
import static dev.berth.findings.diagnosis.Cause.PACKAGES;
import static dev.berth.findings.diagnosis.CauseRule.Where.EXCEPTION;
import static dev.berth.findings.diagnosis.CauseRule.Where.NESTED;
import static dev.berth.findings.diagnosis.CauseRule.Where.STATEMENT;

import dev.berth.findings.diagnosis.CauseRule.LineRule;

import java.util.List;

/** Installed packages are missing or incompatible. */
final class PackageRules {

    /** Modules of known packages and of Python: a missing attribute means another version. */
    private static final String LIBRARIES =
            "(?:numpy|scipy|pandas|sklearn|matplotlib|cv2|PIL\\.Image|skimage|networkx|numba|cupy|jax"
                + "|jaxlib|flax|torch|torchvision|torchaudio|torchtext|triton|tensorflow|keras"
                + "|transformers|tokenizers|datasets|diffusers|accelerate|peft|trl|timm|mmcv"
                + "|mmengine|mmdet|detectron2|lightning|pytorch_lightning|torchmetrics|deepspeed"
                + "|xformers|flash_attn|bitsandbytes|huggingface_hub|wandb|gym|gymnasium|ray"
                + "|nltk|spacy|google\\.protobuf|setuptools|pkg_resources|collections|pkgutil"
                + "|inspect|typing|asyncio|time|ssl|fractions|string|ast|importlib)";

    /** A build that needs a module is no failure of the compiler or the installer. */
    static final List<CauseRule> MODULES_OF_BUILD =
            List.of(
                    LineRule.of(
                            MODULE_MISSING,
                            NESTED,
                            "^(?:ModuleNotFoundError|ImportError): No module named"
                                    + " ['\"]?(?<module>[\\w.]+)"));

    static final List<CauseRule> MODULES =
            List.of(
                    LineRule.of(
                            MODULE_MISSING,
                            EXCEPTION,
                            "^(?:ModuleNotFoundError|ImportError): No module named"
                                    + " ['\"]?(?<module>[\\w.]+)",
                            "^ImportError: .{0,120}?\\brequires the (?<module2>[\\w.-]+) library"
                                    + " but",
                            "^ImportError: Missing optional dependency '(?<module3>[\\w.-]+)'",
                            "^ImportError: .{0,200}?\\bpip install (?:-U |--upgrade )?[`'\"]?"
                                    + "(?<module4>[A-Za-z][\\w.-]{0,60}\\w)",
                            "^ImportError: [`'\"]?(?<module5>[\\w.-]+)[`'\"]? (?:is not|not|must"
                                    + " be) installed"),
                    LineRule.of(
                            MODULE_MISSING,
                            STATEMENT,
                            "^\\S*python[\\d.]*: No module named '?(?<module>[\\w.]+)",
                            "^Error: Cannot find module '(?<module7>[^']{1,80})'",
                            "\\(ModuleNotFoundError: No module named '(?<module1>[\\w.]+)'\\)",
                            "\\bfollowing error .{0,80}?No module named '(?<module2>[\\w.]+)'",
                            "there is no package called [‘'](?<module4>[\\w.]{1,60})[’']",
                            "^Can't locate (?<module5>[\\w/]{1,80})\\.pm in @INC",
                            "Package (?<module6>\\w{1,60}) not found in current path"));

    /** A program may also print it and continue with something else. */
    static final List<CauseRule> PRINTED_MODULES =
            List.of(
                    LineRule.of(
                            MODULE_MISSING, STATEMENT, "^No module named '(?<module>[\\w.]+)'$"));

    static final List<CauseRule> VERSIONS =
            List.of(
                    LineRule.of(
                            PACKAGES,
                            EXCEPTION,
                            "^ImportError: cannot import name '(?<name>[^']+)' from"
                                    + " '(?<from>[^']+)'",
                            "^ImportError: cannot import name '?(?<name1>\\w+)",
                            "version `(?<symbol>[A-Z_]+[\\d.]+)' not found",
                            "undefined symbol: (?<missing>\\w+)",
                            "^(?:\\w++\\.)*+(?:ContextualVersionConflict|VersionConflict):",
                            "^(?:\\w++\\.)*+(?:DistributionNotFound|PackageNotFoundError):",
                            "numpy\\.core\\.multiarray failed to import",
                            "size changed, may indicate binary incompatibility|Numpy is not"
                                    + " available",
                            "^AttributeError: module '(?<module>"
                                    + LIBRARIES
                                    + ")(?:\\.[\\w.]{1,60})?' has no attribute",
                            "_ARRAY_API not found",
                            "^ImportError: .{0,200}?\\brequires .{0,200}? but (?:found|you have)",
                            "requires version '[^']{1,40}' or newer of '(?<package>[^']{1,40})'",
                            "Descriptors cannot (?:not )?be created directly",
                            "cannot allocate memory in static TLS block",
                            "operator torchvision::nms does not exist"),
                    LineRule.of(
                            PACKAGES,
                            STATEMENT,
                            "\\bUnsupportedClassVersionError: ",
                            "symbol lookup error: .{0,200}?undefined symbol: (?<missing>\\w+)",
                            "version `(?<symbol>GLIBC\\w{0,3}_[\\d.]+)' not found"));

    private PackageRules() {}
}
