package dev.berth.findings.diagnosis;

import dev.berth.findings.diagnosis.CauseRule.LineRule;
import dev.berth.findings.diagnosis.CauseRule.Where;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The cause that the words of a message name, for exceptions and error lines that no rule knows by
 * their form. Root causes come before their consequences.
 */
final class MessageCauses {

    /** The beginning of a message names the cause. */
    private static final int MAX_CHARS = 800;

    /**
     * Exceptions about a value or a place in the program: words like "key", "device" or "missing"
     * in their messages are names of the program.
     */
    private static final Pattern ABOUT_PROGRAM =
            Pattern.compile(
                    "^(?:\\w++\\.)*+(?:Key|Index|Attribute|Name|UnboundLocal|Type|Syntax|Indentation|Tab"
                        + "|ZeroDivision|Unicode\\w{0,12}|JSONDecode|Recursion|Unpickling"
                        + "|Overflow|FloatingPoint)Error\\b");

    private static final String LACK =
            "(?:out of memory|insufficient (?:\\w+ )?memory|not enough (?:\\w+ ){0,2}memory|memory"
                + " (?:exhausted|allocation (?:\\(\\w+\\) )?(?:of .{1,40}?"
                + " )?(?:failed|failure|error))|(?:fail(?:ed|ure|s)?|unable) to"
                + " (?:re)?allocate|can(?:not|'t) allocate|(?:could|did) not"
                + " allocate|bad_?alloc|allocation of (?:size )?\\d.{0,30}? failed|failed to map"
                + " \\d{6}|larger than the available .{0,30}?memory|excessive memory"
                + " usage|exceed(?:s|ed|ing) (?:the )?(?:[\\w%]+ ){0,2}memory)(?!"
                + " (?:resources|nodes?|ports?)\\b)";

    private static final String GPU =
            "\\b(?:GPUs?|CUDA|VRAM|HBM|ROCm|HIP|device|cu(?:da|py)\\w{0,30}|gpu_\\w{1,30}|KV"
                    + " cache|jaxlib|mem-fraction\\S{0,20})\\b";

    private static final String CANNOT =
            "(?:could not|couldn't|can ?not|can't|unable to|failed to|fail to|failure to)";

    private static final String SECRET =
            "(?:api|access|secret|auth\\w{0,12}|user|login)[ _-]?(?:key|token|secret)s?";

    private static final String BAD =
            "(?:missing|invalid|incorrect|wrong|expired|not (?:been"
                + " )?(?:set|found|provided|configured|valid|specified)|required|must be|empty)";

    private static final String FILE =
            "(?:file|path|director(?:y|ies)|folder|checkpoint|weights|image|video|archive|shard"
                    + "|resource|volume|primary config"
                    + "|executable|shared object)s?";

    private static final String ABSENT =
            "(?:not found|(?:does|do|did)(?: not|n't) exist|not exist|(?:is|are|was|were)"
                + " missing(?! \\w{1,20} )|(?:cannot|could not|can't) be (?:found|opened|located))";

    private static final List<LineRule> ALL =
            Stream.of(
                            memory(),
                            disk(),
                            gpu(),
                            ranks(),
                            access(),
                            network(),
                            packages(),
                            files(),
                            List.of(rule(Cause.CUDA, "(?i)\\b(?:cu)?DNN\\b")))
                    .flatMap(List::stream)
                    .toList();

    private static final List<LineRule> OF_LIBRARIES =
            Stream.of(memory(), gpu(), ranks()).flatMap(List::stream).toList();

    private static final List<LineRule> OF_PACKAGES = packages();
    private static final List<LineRule> OF_FILES = files();

    /** Only a tool's own line: in an exception these words are about a function. */
    private static final List<LineRule> OF_TOOLS =
            List.of(
                    rule(
                            Cause.PACKAGES,
                            "(?i)\\bcompil(?:e|ation) (?:failure|failed|errors?)\\b|\\bbuild"
                                    + " (?:failed|failure|did not)\\b|\\bunsatisfiable\\b",
                            "(?i)\\b(?:compiler|library|header|dependency|package)\\b.{0,60}?\\bnot"
                                    + " found\\b|\\bno (?:\\w+ ){0,2}interpreter found\\b",
                            "(?i)\\bunable to (?:locate|find) package\\b|\\bresolve"
                                    + " dependenc|\\berror loading package\\b"),
                    rule(
                            Cause.FILE_MISSING,
                            "module\\(s\\) are unknown|Unable to locate a modulefile",
                            "(?i)^\\W{0,4}missing (?:\\w+ )?(?:input )?files?\\b"),
                    rule(
                            Cause.ARGUMENTS,
                            "(?i)\\b(?<problem>(?:unrecogni[sz]ed|unknown|invalid|unexpected|illegal|missing|ambiguous|unsupported|no"
                                + " such)(?: \\w{1,20}){0,2}"
                                + " (?:options?|arguments?|flags?|parameters?|switch|partition"
                                + "|qos|account|gres|subcommand)\\b.{0,120})",
                            "(?i)\\b(?:option|argument|flag|parameter)s? .{0,60}?(?:(?:is|are)"
                                    + " required|not (?:recogni[sz]ed|valid|allowed)|needs? a"
                                    + " value|requires an? )",
                            "(?:^|[\\s'\"`(])--?[A-Za-z][\\w-]{1,60}['\"`)]? (?:(?:is|are) required"
                                    + "|must be (?:set|given|specified|provided))",
                            "(?i)\\b(?:flag|option) provided but not\\b|\\btry .{0,60}?--help\\b",
                            "^(?:qsub|bsub|sbatch|salloc|condor_submit)\\b.{0,20}?: "));

    /** What a message says. */
    record Meaning(Cause cause, String kind, SortedMap<String, String> params) {}

    private MessageCauses() {}

    private static LineRule rule(Cause cause, String... expressions) {
        return LineRule.of(cause, Where.ANYWHERE, expressions);
    }

    static Optional<Meaning> ofException(String text) {
        if (text.startsWith("AttributeError")) {
            return first(OF_PACKAGES, text);
        }
        return ABOUT_PROGRAM.matcher(text).find() ? Optional.empty() : first(ALL, text);
    }

    /** Only what a library states about memory, GPUs and other processes. */
    static Optional<Meaning> ofLibrary(String text) {
        return first(OF_LIBRARIES, text);
    }

    /** The same in the message of the abort itself, or that a file is missing. */
    static Optional<Meaning> ofAbort(String text) {
        return ofLibrary(text).or(() -> first(OF_FILES, text));
    }

    static Optional<Meaning> ofTool(String text) {
        return first(ALL, text).or(() -> first(OF_TOOLS, text));
    }

    private static Optional<Meaning> first(List<LineRule> rules, String text) {
        var start = text.substring(0, Math.min(text.length(), MAX_CHARS));
        for (var rule : rules) {
            for (var one : rule.patterns()) {
                var match = one.pattern().matcher(start);
                if (match.find()) {
                    var params = CauseRule.params(match.toMatchResult());
                    return Optional.of(new Meaning(rule.cause(), rule.kind(), params));
                }
            }
        }
        return Optional.empty();
    }

    private static List<LineRule> memory() {
        return List.of(
                rule(
                        Cause.OOM,
                        "(?i)" + GPU + ".{0,200}?" + LACK,
                        "(?i)" + LACK + ".{0,200}?" + GPU),
                rule(
                        Cause.HOST_OOM,
                        "(?i)" + LACK,
                        "\\bKilledWorker\\b|SIGKILL\\(-9\\)",
                        "(?i)shared memory (?:object|segment|\\(shm\\))|</torch_\\w{1,60}>"));
    }

    private static List<LineRule> disk() {
        return List.of(
                rule(
                        Cause.DISK_FULL,
                        "(?i)no (?:free |more )?(?:disk )?space|\\bdisk (?:is )?full\\b",
                        "(?i)not enough (?:\\w+ )?(?:disk|space|storage)|insufficient"
                                + " (?:disk|storage)",
                        "(?i)out of (?:disk|storage|inodes)|\\b(?:disk|file|inode|storage|block)"
                                + " ?quota\\b|quota .{0,40}?\\b(?:disk|inodes?|file ?system)\\b"),
                rule(
                        Cause.PORT_IN_USE,
                        "(?i)\\b(?:address|port|socket)\\b.{0,60}?\\b(?:in use|occupied|taken|busy"
                                + "|being used|already (?:bound|allocated)|not available)\\b",
                        "(?i)\\berrno:? ?98\\b|\\b(?:different|another) port\\b",
                        "(?i)could not start gRPC server|" + CANNOT + " bind\\b"));
    }

    private static List<LineRule> gpu() {
        return List.of(
                rule(
                        Cause.DRIVER,
                        "(?i)\\bdriver\\b.{0,80}?(?:too old|outdated|insufficient|mismatch|not"
                                + " (?:loaded|installed|found|running|compatible|supported))",
                        "(?i)\\b(?:outdated|old|incompatible|update|upgrade|insufficient)\\b"
                                + ".{0,40}?\\b(?:NVIDIA|CUDA|GPU|display) drivers?\\b",
                        "(?i)\\bno (?:\\w+ ){0,2}(?:GPUs?|CUDA|accelerators?|NVIDIA|ROCm|HIP|OpenCL"
                            + "|Vulkan)\\b"
                            + ".{0,60}?\\b(?:found|available|detected|visible|present|registered)\\b",
                        "(?i)\\bno (?:visible|available|usable) (?:GPU|CUDA)|: no GPUs?\\W{0,2}$",
                        "CUDA_ERROR_(?:NO_DEVICE|SYSTEM_DRIVER|COMPAT_NOT|INSUFFICIENT_DRIVER|NO_BINARY"
                            + "|UNSUPPORTED_PTX|INVALID_DEVICE)",
                        "(?i)\\b(?:update|install) (?:\\w+ ){0,2}(?:graphics|display|GPU|NVIDIA)"
                                + " driver|\\bdriver requires an update\\b",
                        "(?i)\\b(?:GPUs?|CUDA|accelerators?|ROCm)(?: devices?)?\\W{0,4}"
                                + "(?:is|are|was|were)(?: not|n't) (?:currently |yet )?(?:available"
                                + "|found|detected|visible|usable|accessible|enabled|supported)",
                        "(?i)(?:not|n't) (?:been )?(?:compiled|built|linked) (?:with|for) .{0,30}?"
                                + "(?:CUDA|GPU|HIP|ROCm|sm_\\d)|without (?:CUDA|GPU|ROCm) support",
                        "(?i)compute"
                            + " capability|--gpu-arch|\\b(?:PLATFORM|DEVICE)_NOT_FOUND|\\bsm_\\d{2}|\\b(?:Volta|Turing|Ampere|Ada|Hopper|Blackwell)\\b.{0,30}?\\bor"
                            + " (?:newer|later|above)",
                        "(?i)\\brequires? (?:an? |at least )?(?:\\w+ ){0,2}(?:CUDA GPU|GPUs?|CUDA"
                                + " device)\\b",
                        "(?i)(?:requested|invalid|no such) (?:GPUs?|CUDA)\\b.{0,60}?(?:only"
                                + " has|device|available|\\[)|invalid device (?:id|ordinal|index)",
                        "(?i)"
                                + CANNOT
                                + " (?:initiali[sz]e|load|find) (?:\\w+ )?(?:NVML|CUDA|GPU|graphics"
                                + " driver)\\b"),
                rule(
                        Cause.CUDA,
                        "(?i)\\b(?:CUDA|cuda\\w{2,30}|cuDNN|cuBLAS\\w{0,4}|cuFFT|cuSPARSE|cuSOLVER|HIP"
                            + "|NVRTC|MIOpen)\\b(?![-.]\\w).{0,60}?\\b(?:error|fail(?:ed|ure|s)?)\\b",
                        "\\b(?:CU|HIP)[A-Z]{3,8}_STATUS_(?!SUCCESS)[A-Z_]{4,40}|\\bCUDA_ERROR_[A-Z_]{4}",
                        "(?i)\\bmiopen\\w{3}|unable to find an engine",
                        "(?i)\\b(?:illegal (?:memory|address|instruction)|launch fail|misaligned"
                                + " address|device-side)"));
    }

    private static List<LineRule> ranks() {
        return List.of(
                rule(
                        Cause.NCCL,
                        "(?i)\\b(?:NCCL|RCCL|Gloo|Horovod|UCX|UCC|InfiniBand|process ?group"
                            + "|rendezvous|all_?-?reduce|all_?-?gather|collective|BaseCollectiveExecutor|TCPStore|c10d|coordination"
                            + " service|MPI_\\w{3,30})\\b.{0,120}?\\b(?:time[ds]?"
                            + " ?-?out|lost|fail\\w{0,4}|errors?|closed|abort\\w{0,3}|reset"
                            + "|refused|died|DEADLINE_EXCEEDED|unhealthy|disconnected|unreachable)\\b",
                        "(?i)heartbeats?\\b.{0,30}?(?:time[d]? ?out|miss|stop)|stopped sending"
                                + " heartbeats",
                        "(?i)\\b(?:another|other|remote|peer)"
                                + " (?:task|rank|process|worker|node|peer)s? (?:has |have"
                                + " )?(?:died|crashed|exited|disconnected)\\b",
                        "(?i)\\bunable to (?:reliably )?start one or more"
                                + " daemons\\b|\\bRendezvous\\w{3,20}Error",
                        "(?i)monitoredBarrier|mismatch between collectives|\\bcrash on rank \\d",
                        "(?i)\\branks? \\d.{0,60}?\\b(?:failed|timed out|crashed|died|lost)\\b",
                        "(?i)\\bpeers? .{0,40}?(?:lost|unreachable|disconnected)\\b"));
    }

    private static List<LineRule> access() {
        return List.of(
                rule(
                                Cause.PERMISSION,
                                "(?i)\\b(?:HTTP|status(?: code)?|error(?: code)?|returned"
                                        + "|response)\\W{1,3}(?:code )?\\(?40[13]\\b|\\b40[13]"
                                        + " (?:Client|Forbidden|Unauthorized)",
                                "^[\\w.]{1,120}: \\(?40[13]\\b",
                                "^[\\w.]{0,120}?(?:Unauthori[sz]ed|Forbidden|AccessDenied"
                                        + "|PermissionDenied|Authenticat|Credential|Invalid\\w{0,8}"
                                        + "(?:Token|Key)|LoginError)\\w{0,30}(?::|$)",
                                "(?i)\\b(?:unauthori[sz]ed|forbidden|unauthenticated)\\b",
                                "(?i)\\bnot (?:authori[sz]ed|logged in)\\b|\\bplease log"
                                        + " ?in\\b|\\bactive account\\b|\\bauth login\\b",
                                "(?i)\\bauth(?:entication|orization) (?:failed|error|required|is"
                                        + " required)",
                                "(?i)\\b" + SECRET + "\\b.{0,60}?" + BAD,
                                "(?i)\\b" + BAD + " (?:\\w+ ){0,2}" + SECRET,
                                "(?i)\\b(?:provide|set|no|specify|requires?)\\b.{0,30}?\\b(?:api|access|auth)["
                                    + " _-]?(?:key|token)\\b",
                                "\\b[A-Z_]{2,30}_(?:KEY|TOKEN)\\b.{0,60}?(?:not"
                                        + " set|missing|environment|required|must|not found)",
                                "(?i)\\b(?:no|invalid|missing|wrong|bad|"
                                        + CANNOT
                                        + ")\\b.{0,40}?"
                                        + "\\bcredentials?\\b|\\bcredentials? .{0,40}?"
                                        + BAD,
                                "(?i)\\blicen[cs]e\\b.{0,60}?(?:expired|invalid|not"
                                        + " found|denied|check[- ]?out)",
                                "(?i)\\b(?:token|session|password|credential)s?\\b.{0,30}?\\b(?:expired|revoked)\\b|\\binvalid_grant\\b|\\bpassword"
                                    + " (?:is )?(?:required|incorrect)|\\baccess key id\\b",
                                "(?i)\\blicen[cs]e manager error\\b|\\bmaximum number of users\\b",
                                "(?i)\\bgated (?:repo|model|dataset)|\\b(?:not|n't) have access\\b")
                        .kind("login"),
                rule(
                        Cause.PERMISSION,
                        "(?i)\\b(?:access|permissions?) (?:is |was |were )?denied\\b",
                        "(?i)\\b(?:operation )?not permitted\\b|insufficient"
                                + " (?:permission|privilege)",
                        "(?i)\\b(?:not|n't) have (?:\\w+ ){0,2}permissions?\\b|read-only file"
                                + " system"));
    }

    private static List<LineRule> network() {
        return List.of(
                rule(
                        Cause.NETWORK,
                        "(?i)\\b(?:HTTP|status(?: code)?|error(?: code)?|returned|response)\\W{1,3}"
                                + "(?:code )?\\(?(?:404|408|429|50[0-9]|52\\d)\\b",
                        "^[\\w.]{1,120}: \\(?(?:404|408|429|50\\d|52\\d)\\b",
                        "(?i)\\bquota exceeded\\b|exceeded your \\w+ quota",
                        "(?i)\\b(?:404|408|429|50\\d|52\\d) (?:Client|Server|Too Many|Internal"
                                + "|Bad Gateway|Service|Gateway|Not Found)",
                        "(?i)\\brate.?limit(?:ed|s)?\\b|too many requests|\\boverloaded\\b|bad"
                            + " gateway|(?:service|(?<!resource )temporarily) unavailable|internal"
                            + " server error|\\bover its data quota\\b",
                        "(?i)\\bconnect(?:ion|ing|ed)?\\b.{0,40}?\\b(?:refused|reset|aborted|closed"
                                + "|time[d]? ?out|lost|failed|broken|dropped|interrupted)\\b",
                        "(?i)"
                                + CANNOT
                                + " (?:\\w+ )?(?:connect|reach|resolve|download|fetch"
                                + "|establish|retrieve)\\b|\\b(?:download|upload) (?:failed|error)",
                        "(?i)\\bunreachable\\b|no route to host|name resolution|getaddrinfo|max"
                            + " retries exceeded|remote (?:end|host) closed|handshake|no such host",
                        "(?i)\\bsocket closed\\b|\\bUnavailableError\\b|\\bUNAVAILABLE: ",
                        "(?i)\\bRPC failed\\b|\\bearly EOF\\b|\\brecv error\\b|\\bhung up\\b",
                        "(?i)\\bSSL(?:Error)?\\b|\\bTLS\\b(?! block)|\\bcertificate\\b|\\bproxy"
                                + " (?:error|server)\\b|network (?:is |connection )?(?:error|issue"
                                + "|problem|failure|down|timeout)",
                        "(?i)^(?!.{0,300}?(?:Command|DataLoader|subprocess|\\block\\b|queue|test))"
                                + ".{0,300}?\\b(?:timed[ -]out|deadline exceeded|time-?out"
                                + " (?:of|after|exceeded|expired|while|waiting|error))\\b",
                        "^(?:\\w++\\.)*+(?:(?:Async)?TimeoutError|Timeout|\\w{0,40}Time[Oo]utException|Server\\w{0,20}Error"
                            + "|\\w{0,20}ServerError|RateLimit\\w{0,10})(?::|$)"));
    }

    private static List<LineRule> packages() {
        return List.of(
                rule(Cause.MODULE_MISSING, "No module named ['\"\\\\]*(?<module>[\\w.]+)"),
                rule(
                        Cause.COMMAND_MISSING,
                        "(?i)\\bexecutable (?:file )?(?:was )?not found\\b|\\bcommand not found\\b"
                                + "|\\bexecvp error on file\\b",
                        "(?i)"
                                + CANNOT
                                + " (?:find|locate|run|execute|start)\\b.{0,60}?"
                                + "\\b(?:executable|binary|command|program)\\b(?! file)",
                        "(?i)\\bnot (?:found )?(?:in|on) (?:your |the |system )?\\$?PATH\\b",
                        "\\[Errno 2\\] No such file or directory: ['\"](?:ffmpeg|ffprobe|sox|git"
                            + "|nvcc|gcc|g\\+\\+|cc|c\\+\\+|make|cmake|ninja|java|docker|nvidia-smi"
                            + "|patchelf|wget|curl|aws|gsutil|which|srun|sbatch|mpirun)['\"]"),
                rule(
                        Cause.PACKAGES,
                        "(?i)\\bversions?\\b.{0,80}?\\b(?:mismatch\\w{0,3}|conflicts?|conflicting"
                                + "|incompatible|not compatible|unsupported|not supported|required"
                                + "|too (?:old|new|low|high)|(?:does|do)(?: not|n't) match|out of"
                                + " date|at least|or (?:newer|later|higher|above|greater)|older"
                                + " than|newer than|lower than|higher than)\\b",
                        "(?i)\\b(?:incompatible|not compatible|unsupported|mismatch\\w{0,3}"
                                + "|conflicting|different|wrong|older|newer|recent|latest|outdated"
                                + "|minimum|required?|requires?)\\b.{0,60}?\\bversions?\\b",
                        "(?i)\\b[A-Za-z][\\w.-]{1,40}(?:\\[\\w+\\])? ?[<>=!~]= ?v?\\d+(?:\\.\\d+)",
                        "(?i)\\b(?:requires?|needs?|only supports?|supports? only|supported"
                            + " on|depends"
                            + " on)\\b.{0,40}?\\b(?:Python|NumPy|torch|PyTorch|TensorFlow|CUDA|JAX|gcc|GLIBC|transformers|pandas|scipy|protobuf)"
                            + " ?[<>=]{0,2} ?v?\\d",
                        "(?i)\\b(?:please|need to|needs to be|must|have"
                                + " to|should|try|consider|first)\\b"
                                + ".{0,30}?\\b(?:re-?)?(?:install(?:ed|ing)?|upgrade|downgrade"
                                + "|upgrading|downgrading|rebuild|recompile)\\b",
                        "(?i)\\b(?:pip|conda|mamba|apt(?:-get)?) install\\b|cannot import name",
                        "(?i)\\b(?:upgrade|downgrade|reinstall)\\b|\\bhave \\S{1,60} installed\\b",
                        "(?i)\\b(?:has|have) (?:been )?moved to\\b",
                        "(?i)\\bnot (?:been )?installed\\b|n't installed\\b|\\bis it installed\\b"
                                + "|\\bare you sure .{0,60}? installed",
                        "(?i)\\b(?:compiled|built)"
                                + " (?:with|against|for|using)\\b.{0,80}?\\b(?:but|while"
                                + "|whereas|cannot|different|loaded)\\b",
                        "(?i)\\boutdated\\b|binary incompatib|\\bABI\\b|undefined symbol|\\bAPI"
                                + " version\\b",
                        "(?i)\\b(?:was|been|were) (?:removed|deprecated)"
                                + " (?:in|from|since)\\b.{0,30}?\\d",
                        "\\b(?:UnsupportedClassVersion|NoSuchMethod|NoClassDefFound|UnsatisfiedLink)Error\\b",
                        "(?i)\\bno (?:\\w+ ){0,2}C(?:\\+\\+)? compiler\\b|\\bcompiler (?:was )?not"
                                + " found\\b",
                        "(?i)no longer (?:supported|available) (?:in|by|on|with|since)\\b"));
    }

    private static List<LineRule> files() {
        return List.of(
                rule(
                        Cause.FILE_MISSING,
                        "(?i)\\bno such file\\b|\\bENOENT\\b",
                        "(?i)\\b" + FILE + "\\b.{0,160}?\\b" + ABSENT,
                        "(?i)['\"`]?(?<path>[\\w.~-]{0,60}/[\\w./~+=-]{1,200})['\"`]?.{0,20}?\\b"
                                + ABSENT,
                        "(?i)\\b(?:"
                                + CANNOT
                                + "|did not) (?:find|locate|open|read)(?: or open)?\\b(?:(?! in |"
                                + " column).){0,60}?(?:\\b"
                                + FILE
                                + "\\b|\\bmodel '|['\"`]?[\\w.~-]{0,60}/[\\w./~-]{2,200}"
                                + "|\\w\\.[a-z]\\w{1,5}\\b)",
                        "(?i)\\b(?:error opening(?!.{0,200}?: (?!system error|no such))|missing"
                            + " file|expected (?:to find )?(?:the )?file|could find neither|no URLs"
                            + " matched|NoSuchFile\\w{0,10})\\b|\\bfile\\b.{1,200}? is not"
                            + " present\\b",
                        "(?i)\\bfile (?:mapping|open(?:ing)?)"
                                + " failed\\b|\\bExists(?:Dir|File|Path)\\b",
                        "(?i)\\bdataset not found\\b|\\brepo id must be\\b",
                        "(?i)\\bno (?:\\w+"
                            + " ){0,2}(?:files?|images?|checkpoints?|labels?|annotations?|videos?|data)\\b(?:"
                            + " \\w+){0,3}? (?:found|in|at|match\\w*)\\b|\\bfound (?:0|no) (?:\\w+"
                            + " )?(?:files|images)\\b"));
    }
}
