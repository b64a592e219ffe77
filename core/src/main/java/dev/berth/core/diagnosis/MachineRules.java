package dev.berth.core.diagnosis;

import static dev.berth.core.diagnosis.Cause.CONDA;
import static dev.berth.core.diagnosis.Cause.CUDA;
import static dev.berth.core.diagnosis.Cause.DISK_FULL;
import static dev.berth.core.diagnosis.Cause.DRIVER;
import static dev.berth.core.diagnosis.Cause.GPU_HARDWARE;
import static dev.berth.core.diagnosis.Cause.HOST_OOM;
import static dev.berth.core.diagnosis.Cause.NETWORK;
import static dev.berth.core.diagnosis.Cause.OOM;
import static dev.berth.core.diagnosis.Cause.PERMISSION;
import static dev.berth.core.diagnosis.Cause.PORT_IN_USE;
import static dev.berth.core.diagnosis.Rule.Where.ANYWHERE;
import static dev.berth.core.diagnosis.Rule.Where.EXCEPTION;
import static dev.berth.core.diagnosis.Rule.Where.STATEMENT;

import dev.berth.core.diagnosis.Rule.Text;

import java.util.List;
import java.util.stream.Stream;

/**
 * What shows that the machine failed the program: its cards, its memory, its set-up or its network.
 */
final class MachineRules {

    static final List<Rule> ALL =
            Stream.of(card(), memory(), setting(), network()).flatMap(List::stream).toList();

    private MachineRules() {}

    private static List<Rule> card() {
        return List.of(
                new Text(
                                GPU_HARDWARE,
                                STATEMENT,
                                "(?i)uncorrectable ECC error encountered|GPU is lost|has fallen off"
                                        + " the bus|uncorrectable NVLink error|cudaErrorECCUncorr"
                                        + "|Unable to determine the device handle for GPU")
                        .first(),
                new Text(
                                GPU_HARDWARE,
                                ANYWHERE,
                                "NVRM: Xid \\([^)]*+\\): (?<xid>48|64|74|79|94|95),")
                        .first());
    }

    private static List<Rule> memory() {
        return List.of(
                new Text(
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
                new Text(
                                HOST_OOM,
                                ANYWHERE,
                                "Out of memory: Killed process \\d+ \\((?<program>[^)]{1,40})\\)"
                                        + "|Memory cgroup out of memory: Killed process"
                                        + "|Detected \\d+ oom.kill event|oom-kill:constraint="
                                        + "|killed due to the node running low on memory")
                        .first(),
                new Text(
                        HOST_OOM,
                        STATEMENT,
                        "DataLoader worker \\(pid(?:\\(s\\))? [\\d, ]+\\) is killed by signal:"
                                + " (?:Killed|Bus error)"
                                + "|Insufficient shared memory \\(shm\\)"
                                + "|std::bad_alloc|DefaultCPUAllocator: (?:can't allocate|not"
                                + " enough) memory|\\[Errno 12\\] Cannot allocate memory"
                                + "|^(?:numpy\\.\\S{0,40}?)?(?:_Array)?MemoryError\\b"
                                + "|java\\.lang\\.OutOfMemoryError"),
                new Text(
                        DISK_FULL,
                        STATEMENT,
                        "No space left on device(?:: '(?<path>[^']{1,200})')?|Disk quota exceeded"
                                + "|database or disk is full|NoSpaceLeftError"
                                + "|file write failed: .{0,60}?space"),
                new Text(
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

    private static List<Rule> setting() {
        return List.of(
                new Text(
                        CONDA,
                        ANYWHERE,
                        "^EnvironmentNameNotFound: Could not find conda environment: (?<env>\\S+)"
                                + "|^EnvironmentLocationNotFound: Not a conda environment:"
                                + " (?<path>\\S+)|^CondaError: Run 'conda init'"
                                + "|^CommandNotFoundError: Your shell has not been properly"
                                + "|(?:^|: )(?:conda|mamba|activate): (?:command )?not found$"
                                + "|\\bconda\\.sh: No such file or directory$"
                                + "|^The given prefix does not exist: \"?(?<path2>[^\"\\s]+)"),
                new Text(
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
                new Text(
                        PORT_IN_USE,
                        STATEMENT,
                        "(?i)address already in use|\\bEADDRINUSE\\b|port"
                                + " (?<port>\\d{1,5})\\W{1,3}(?:it )?(?:is|was) (?:already )?in"
                                + " use|cannot bind to port (?<port2>\\d{1,5})"));
    }

    private static List<Rule> network() {
        return List.of(
                new Text(
                        NETWORK,
                        ANYWHERE,
                        "^WARNING: Retrying \\(Retry\\(total=0\\b|^CondaHTTPError: HTTP"
                                + "|^fatal: unable to access '(?<url>[^']{1,200})'"
                                + "|^ssh: (?:connect to host|Could not resolve hostname)"),
                new Text(
                        PERMISSION,
                        EXCEPTION,
                        "GatedRepoError|Cannot access gated repo|You are trying to access a gated"
                                + " repo|401 Client Error|403 Client Error|api_key not"
                                + " configured"),
                new Text(
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
