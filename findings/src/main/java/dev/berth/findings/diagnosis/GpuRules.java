package dev.berth.findings.diagnosis;

import static dev.berth.findings.diagnosis.Cause.CUDA;
import static dev.berth.findings.diagnosis.Cause.DRIVER;
import static dev.berth.findings.diagnosis.Cause.GPU_HARDWARE;
import static dev.berth.findings.diagnosis.Cause.OOM;
import static dev.berth.findings.diagnosis.CauseRule.Where.ANYWHERE;
import static dev.berth.findings.diagnosis.CauseRule.Where.EXCEPTION;
import static dev.berth.findings.diagnosis.CauseRule.Where.STATEMENT;

import dev.berth.findings.diagnosis.CauseRule.LineRule;

import java.util.List;
import java.util.regex.Pattern;

/** Failures of GPUs, of their memory and of their driver. */
final class GpuRules {

    private static final String LIBRARY =
            "(?<library>lib(?:cud|cublas|nccl|nv|cusparse|cufft|curand|cusolver)[\\w.+-]*+)";

    static final List<CauseRule> HARDWARE =
            List.of(
                    LineRule.of(
                                    GPU_HARDWARE,
                                    ANYWHERE,
                                    "NVRM: Xid \\([^)]*+\\):"
                                            + " (?<xid>48|62|64|74|79|94|95|119|120|140),")
                            .first(),
                    LineRule.of(
                                    GPU_HARDWARE,
                                    STATEMENT,
                                    "(?i)uncorrectable ECC error encountered",
                                    "(?i)GPU is lost",
                                    "(?i)has fallen off the bus",
                                    "(?i)uncorrectable NVLink error|row remap fail|pending page"
                                            + " retirement",
                                    "cudaErrorECCUncorr",
                                    "CUDA_ERROR_ECC_UNCORRECTABLE",
                                    "RmInitAdapter failed",
                                    "Unable to determine the device handle for GPU")
                            .first());

    static final List<CauseRule> MEMORY =
            List.of(
                    LineRule.of(
                                    OOM,
                                    STATEMENT,
                                    "\\b(?:CUDA|HIP|ROCm|XPU|NPU|MPS backend) out of memory",
                                    "torch\\.(?:cuda\\.)?OutOfMemoryError",
                                    "(?i)\\b(?:CUDA|HIP|cu\\w{3,20}|hip\\w{3,20})"
                                            + "(?: runtime| driver| API)? ?(?:error|failure|failed)"
                                            + "[^;]{0,120}?\\bout of memory",
                                    "(?i)error=2 : out of memory|\\bGPU ?assert\\b.{0,40}?out of"
                                            + " memory",
                                    "\\bcudaSuccess \\(2 vs",
                                    "cudaErrorMemoryAllocation|CUDA_ERROR_OUT_OF_MEMORY",
                                    "hipErrorOutOfMemory|hipErrorMemoryAllocation",
                                    "(?:CUBLAS|CUDNN|CUSPARSE|CUSOLVER|HIPBLAS|rocblas)_STATUS_"
                                            + "(?:ALLOC_FAILED|MEMORY_ERROR)|CUFFT_ALLOC_FAILED",
                                    "OOM when allocating tensor",
                                    "RESOURCE_EXHAUSTED: .{0,80}?(?:[Mm]emory|allocate)",
                                    "ResourceExhaustedError: .{0,120}?(?:OOM|[Mm]emory)",
                                    "Resource exhausted: .{0,40}?(?:OOM|[Mm]emory|allocate)",
                                    "Out of memory error on GPU|Dst tensor is not initialized",
                                    "Error Code \\d{1,3}: OutOfMemory",
                                    "\\bcudaMalloc\\w{0,20}\\b.{0,60}?\\bfailed",
                                    "cuda\\.memory\\.OutOfMemoryError",
                                    "bad_alloc: out_of_memory: |RMM failure",
                                    "No available memory for the cache blocks",
                                    "can be stored in (?:the )?KV cache",
                                    "Free memory on device .{0,80}? less than desired GPU memory",
                                    "AllocateRawInternal.{0,120}?Failed to allocate memory",
                                    "(?i)(?:VRAM|GPU memory) (?:exhausted|allocation failed)",
                                    "(?i)\\bcuda\\w{3,40} out of memory",
                                    "(?i)\\w{0,20}cuda\\w{0,40} fail(?:ed)? to allocate memory",
                                    "failed to allocate memory\\b.{0,160}?\\b(?:Cuda|CUDA|HIP)\\b",
                                    "^\\s{0,4}what\\(\\):\\s.{0,120}?\\bfailed: out of memory",
                                    "(?i)out[ _]of[ _](?:GPU|video|device)[ _]memory",
                                    "(?i)out of memory on (?:the )?(?:GPU|device)\\b",
                                    "(?i)not enough (?:GPU|video|device) memory|insufficient VRAM")
                            .first());

    static final List<CauseRule> USE =
            List.of(
                    LineRule.of(
                                    DRIVER,
                                    STATEMENT,
                                    "CUDA driver version is insufficient",
                                    "insufficient driver version",
                                    "(?i)\\b(?:CUDA|HIP)(?: driver| runtime| API)? error(?: code)?"
                                            + "[:=]?"
                                            + " ?\\(?(?:35|38|48|98|100|209|222|803|804)\\b",
                                    "NVIDIA driver on your system is too old",
                                    "PTX was compiled with an unsupported toolchain",
                                    "UnsupportedPtxVersion|UNSUPPORTED_PTX_VERSION",
                                    "cudaErrorInsufficientDriver|ERROR_INCOMPATIBLE_DRIVER")
                            .first()
                            .kind("old"),
                    LineRule.of(
                                    DRIVER,
                                    STATEMENT,
                                    "invalid device function",
                                    "no kernel image is available|device kernel image is invalid",
                                    "NO_BINARY_FOR_GPU|NoBinaryForGpu|NoKernelImage\\w+")
                            .first()
                            .kind("build"),
                    LineRule.of(
                                    DRIVER,
                                    STATEMENT,
                                    "Driver/library version mismatch|Found no NVIDIA driver",
                                    "No CUDA GPUs are available|no CUDA-capable device is detected",
                                    "\\bno platforms that are instances of (?:gpu|cuda|rocm) are"
                                            + " present",
                                    "no (?:ROCm|HIP)-capable device|CUDA_ERROR_NO_DEVICE",
                                    "cudaErrorNoDevice|(?:cuda|CUDA)_?\\w{0,20}SYSTEM_DRIVER_MISMATCH",
                                    "couldn't communicate with the NVIDIA driver",
                                    "Torch not compiled with CUDA enabled",
                                    "forward compatibility was attempted on non supported HW",
                                    "CUDA driver initialization failed|system not yet initialized",
                                    "CUDA unknown error - this may be due to an incorrectly set up",
                                    "Unexpected error from cudaGetDeviceCount",
                                    "because no (?:compatible )?GPUs? (?:is|are|was|were)"
                                            + " (?:detected|found)",
                                    "torch\\.cuda\\.is_available\\(\\) is False",
                                    "nvidia-container-cli: .{0,60}?error",
                                    "could not select device driver|invalid runtime name: nvidia",
                                    "(?:ImportError|OSError|libraries): "
                                            + LIBRARY
                                            + ": cannot open shared object",
                                    "devices?(?:\\(s\\))? (?:is/)?are busy or unavailable")
                            .first(),
                    LineRule.of(
                            DRIVER,
                            EXCEPTION,
                            "Unable to initialize backend '(?:cuda|gpu|tpu|rocm)'"),
                    LineRule.of(
                                    CUDA,
                                    STATEMENT,
                                    "(?i)illegal memory access was encountered",
                                    "(?i)device-side assert triggered",
                                    "unspecified launch failure",
                                    "(?i)\\b(?:CUDA|HIP)(?: runtime| driver| API)? error(?:: |"
                                            + " \\(?\\d| at \\S)",
                                    "(?:CUBLAS|HIPBLAS|CUSOLVER|CUSPARSE|CURAND|CUDNN)_STATUS_(?!SUCCESS|ALLOC)[A-Z_]{4,40}",
                                    "CUDA_ERROR_(?!NOT_FOUND)[A-Z_]{4,40}",
                                    "\\bcudaError(?:Illegal|Launch|Misaligned|Assert|Invalid)\\w{0,40}",
                                    "Memory access fault by GPU node|HW Exception by GPU node",
                                    "NVRM: Xid \\([^)]*+\\): (?<xid>13|31),")
                            .first());

    /** Also in warnings: TensorFlow and ONNX Runtime continue without a GPU. */
    private static final Pattern MISSING_LIBRARY =
            Pattern.compile(
                    "(?:[Cc]ould not load dynamic library|[Ff]ailed to load library)\\b.{0,200}?"
                            + LIBRARY
                            + ".{0,60}?cannot open shared object");

    private GpuRules() {}

    static boolean isMissingLibrary(String line) {
        return MISSING_LIBRARY.matcher(line).find();
    }
}
