package dev.berth.findings.diagnosis;

import static dev.berth.findings.diagnosis.Cause.CONDA;
import static dev.berth.findings.diagnosis.Cause.CUDA;
import static dev.berth.findings.diagnosis.Cause.DISK_FULL;
import static dev.berth.findings.diagnosis.Cause.DRIVER;
import static dev.berth.findings.diagnosis.Cause.GPU_HARDWARE;
import static dev.berth.findings.diagnosis.Cause.HOST_OOM;
import static dev.berth.findings.diagnosis.Cause.NETWORK;
import static dev.berth.findings.diagnosis.Cause.OOM;
import static dev.berth.findings.diagnosis.Cause.PERMISSION;
import static dev.berth.findings.diagnosis.Cause.PORT_IN_USE;
import static dev.berth.findings.diagnosis.CauseRule.Where.ANYWHERE;
import static dev.berth.findings.diagnosis.CauseRule.Where.EXCEPTION;
import static dev.berth.findings.diagnosis.CauseRule.Where.STATEMENT;

import dev.berth.findings.diagnosis.CauseRule.LineRule;

import java.util.List;
import java.util.stream.Stream;

/** Failures of the machine: its GPUs, memory, set-up or network. */
final class MachineRules {

    static final List<CauseRule> ALL =
            Stream.of(gpu(), memory(), setting(), network()).flatMap(List::stream).toList();

    private MachineRules() {}

    private static List<CauseRule> gpu() {
        return List.of(
                new LineRule(
                                GPU_HARDWARE,
                                STATEMENT,
                                "(?i)uncorrectable ECC error encountered|GPU is lost|has fallen off"
                                        + " the bus|uncorrectable NVLink error|cudaErrorECCUncorr"
                                        + "|Unable to determine the device handle for GPU")
                        .first(),
                new LineRule(
                                GPU_HARDWARE,
                                ANYWHERE,
                                "NVRM: Xid \\([^)]*+\\): (?<xid>48|64|74|79|94|95),")
                        .first());
    }

    private static List<CauseRule> memory() {
        return List.of(
                new LineRule(
                                OOM,
                                STATEMENT,
                                "\\bCUDA out of memory|torch\\.(?:cuda\\.)?OutOfMemoryError|CUDA"
                                    + " (?:runtime )?error[^,;]{0,80}?: out of memory"
                                    + "|cudaErrorMemoryAllocation|CUDA_ERROR_OUT_OF_MEMORY"
                                    + "|CUBLAS_STATUS_ALLOC_FAILED|CUDNN_STATUS_ALLOC_FAILED|OOM"
                                    + " when allocating tensor|HIP out of"
                                    + " memory|RESOURCE_EXHAUSTED: (?:Out of memory|Failed to"
                                    + " allocate)|ResourceExhaustedError: .{0,80}?(?:OOM|memory)")
                        .first(),
                new LineRule(
                                HOST_OOM,
                                ANYWHERE,
                                "Out of memory: Killed process \\d+ \\((?<program>[^)]{1,40})\\)"
                                        + "|Memory cgroup out of memory: Killed process"
                                        + "|Detected \\d+ oom.kill event|oom-kill:constraint="
                                        + "|killed due to the node running low on memory")
                        .first(),
                new LineRule(
                        HOST_OOM,
                        STATEMENT,
                        "DataLoader worker \\(pid(?:\\(s\\))? [\\d, ]+\\) is killed by signal:"
                                + " (?:Killed|Bus error)"
                                + "|Insufficient shared memory \\(shm\\)"
                                + "|std::bad_alloc|DefaultCPUAllocator: (?:can't allocate|not"
                                + " enough) memory|\\[Errno 12\\] Cannot allocate memory"
                                + "|^(?:numpy\\.\\S{0,40}?)?(?:_Array)?MemoryError\\b"
                                + "|java\\.lang\\.OutOfMemoryError"),
                new LineRule(
                        DISK_FULL,
                        STATEMENT,
                        "No space left on device(?:: '(?<path>[^']{1,200})')?|Disk quota exceeded"
                                + "|database or disk is full|NoSpaceLeftError"
                                + "|file write failed: .{0,60}?space"),
                new LineRule(
                                CUDA,
                                STATEMENT,
                                "(?i)illegal memory access was encountered|device-side assert"
                                        + " triggered|CUDA error: (?:misaligned address|unspecified"
                                        + " launch failure|an illegal|invalid|the launch timed)"
                                        + "|CUBLAS_STATUS_(?:EXECUTION_FAILED|NOT_INITIALIZED"
                                        + "|INVALID_VALUE|INTERNAL_ERROR)"
                                        + "|CUDNN_STATUS_(?:EXECUTION_FAILED|INTERNAL_ERROR"
                                        + "|NOT_INITIALIZED|BAD_PARAM|MAPPING_ERROR)"
                                        + "|CUDA_ERROR_(?:ILLEGAL_ADDRESS|LAUNCH_FAILED"
                                        + "|MISALIGNED_ADDRESS|ASSERT)")
                        .first());
    }

    private static List<CauseRule> setting() {
        return List.of(
                new LineRule(
                        CONDA,
                        ANYWHERE,
                        "^EnvironmentNameNotFound: Could not find conda environment: (?<env>\\S+)"
                                + "|^EnvironmentLocationNotFound: Not a conda environment:"
                                + " (?<path>\\S+)|^CondaError: Run 'conda init'"
                                + "|^CommandNotFoundError: Your shell has not been properly"
                                + "|(?:^|: )(?:conda|mamba|activate): (?:command )?not found$"
                                + "|\\bconda\\.sh: No such file or directory$"
                                + "|^The given prefix does not exist: \"?(?<path2>[^\"\\s]+)"),
                new LineRule(
                                DRIVER,
                                STATEMENT,
                                "Driver/library version mismatch|CUDA driver version is"
                                    + " insufficient|Found no NVIDIA driver|NVIDIA driver on your"
                                    + " system is too old|no kernel image is available for"
                                    + " execution|No CUDA GPUs are available|no CUDA-capable device"
                                    + " is detected|couldn't communicate with the NVIDIA"
                                    + " driver|Torch not compiled with CUDA enabled|forward"
                                    + " compatibility was attempted on non supported HW|CUDA driver"
                                    + " initialization failed|system not yet"
                                    + " initialized|ImportError:"
                                    + " (?<library>lib(?:cud|cublas|nccl|nv|cusparse|cufft|curand|cusolver)[\\w.+-]*+):"
                                    + " cannot open shared object|detected CUDA version"
                                    + " \\([\\d.]+\\) mismatches the version|devices?(?:\\(s\\))?"
                                    + " (?:is/)?are busy or unavailable")
                        .first(),
                new LineRule(
                        PORT_IN_USE,
                        STATEMENT,
                        "(?i)address already in use|\\bEADDRINUSE\\b|port"
                                + " (?<port>\\d{1,5})\\W{1,3}(?:it )?(?:is|was) (?:already )?in"
                                + " use|cannot bind to port (?<port2>\\d{1,5})"));
    }

    private static List<CauseRule> network() {
        return List.of(
                new LineRule(
                        NETWORK,
                        ANYWHERE,
                        "^WARNING: Retrying \\(Retry\\(total=0\\b|^CondaHTTPError: HTTP"
                                + "|^fatal: unable to access '(?<url>[^']{1,200})'"
                                + "|^ssh: (?:connect to host|Could not resolve hostname)"),
                new LineRule(
                        PERMISSION,
                        EXCEPTION,
                        "GatedRepoError|Cannot access gated repo|You are trying to access a gated"
                                + " repo|401 Client Error|403 Client Error|api_key not"
                                + " configured"),
                new LineRule(
                        NETWORK,
                        EXCEPTION,
                        "^(?:\\w++\\.)*+(?:ConnectionError|ConnectTimeout|ReadTimeout|ConnectTimeout"
                            + "Error|NewConnectionError|URLError|SSLError|gaierror|ProxyError"
                            + "|ConnectionRefusedError|LocalEntryNotFoundError|MaxRetryError"
                            + "|OfflineModeIsEnabled|ClientConnectorError|ConnectError|HTTPError|HfHubHTTPError)\\b|We"
                            + " couldn't connect to '(?<url>[^']{1,200})'|Name or service not"
                            + " known|Temporary failure in name resolution|Network is"
                            + " unreachable"));
    }
}
