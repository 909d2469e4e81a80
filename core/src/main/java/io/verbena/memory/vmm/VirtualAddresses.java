package io.verbena.memory.vmm;

import org.jspecify.annotations.Nullable;

/** Virtual addresses as kernel processes may use them: no segment table, whatever is mapped in the VMM. */
public final class VirtualAddresses extends AddressView {

    private final Vmm vmm;
    private final Process process;

    /**
     * @throws IllegalArgumentException if the process is a user process
     */
    public VirtualAddresses(Vmm vmm, Process process) {
        if (!process.kernel()) {
            throw new IllegalArgumentException("invalid parameter: the process '" + process.name()
                    + "' is a user process, which can use effective addresses only");
        }
        this.vmm = vmm;
        this.process = process;
    }

    @Override
    @Nullable
    SegmentEntry find(long address) {
        return address < 0 ? null : vmm.virtualSegments().find(AddressLayout.upper(address));
    }

    @Override
    SegmentTable table() {
        return vmm.virtualSegments();
    }

    @Override
    UnmappedAccesses unmapped() {
        return process.unmapped();
    }

    @Override
    public long length() {
        return AddressLayout.VIRTUAL_BYTES;
    }
}
