package io.verbena.wire;

/**
 * What {@link Ulpdu#decode} found, and the reason to terminate with. All but {@link #TOO_SHORT} guarantee that a whole
 * DDP header lies there.
 */
public enum UlpduOutcome {
    /** A segment that is right as far as its own bytes tell. */
    OK(TerminateCode.UNKNOWN),
    /** Shorter than its DDP header; nothing was decoded. */
    TOO_SHORT(TerminateCode.MPA_FPDU_START),
    /** A tagged segment with a DDP version other than 1. */
    TAGGED_DDP_VERSION(TerminateCode.DDP_TAGGED_VERSION),
    /** An untagged segment with a DDP version other than 1. */
    UNTAGGED_DDP_VERSION(TerminateCode.DDP_UNTAGGED_VERSION),
    /** An untagged segment for a queue that RDMAP does not have. */
    NO_SUCH_QUEUE(TerminateCode.DDP_UNTAGGED_INVALID_QN),
    /** An RDMAP version other than 1. */
    RDMAP_VERSION(TerminateCode.RDMAP_VERSION),
    /** An opcode no RFC defines. */
    UNKNOWN_OPCODE(TerminateCode.RDMAP_UNEXPECTED_OPCODE),
    /** A tagged segment with an untagged message's opcode, or the other way round. */
    WRONG_TAGGED_FLAG(TerminateCode.RDMAP_UNEXPECTED_OPCODE),
    /** A queue that exists, but is not the opcode's. */
    WRONG_QUEUE(TerminateCode.DDP_UNTAGGED_INVALID_QN),
    /** A message of fixed length that is longer, or says that more is to come. */
    FIXED_LENGTH_EXCEEDED(TerminateCode.DDP_UNTAGGED_TOO_LONG),
    /** A message of fixed length that is shorter, or was split. */
    FIXED_LENGTH_NOT_REACHED(TerminateCode.RDMAP_OPERATION_UNSPECIFIED);

    private final TerminateCode terminateCode;

    UlpduOutcome(TerminateCode terminateCode) {
        this.terminateCode = terminateCode;
    }

    /** The reason the Terminate message gives; UNKNOWN for {@link #OK}. */
    public TerminateCode terminateCode() {
        return terminateCode;
    }
}
