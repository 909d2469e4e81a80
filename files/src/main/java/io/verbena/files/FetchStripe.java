package io.verbena.files;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.failure.IoReasons;
import io.verbena.files.protocol.FileAttributes;
import io.verbena.files.protocol.FileMessage;
import io.verbena.files.store.PartFile;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.Optional;

/**
 * A share of a fetch: requests the checksum of a chunk, reads the chunk by RDMA, compares, and writes it to the local file. A
 * chunk that is all zeros at the server, or that an earlier run fetched, is not read.
 */
final class FetchStripe extends Stripe {

    private final PartFile part;
    private final FileAttributes source;

    FetchStripe(Link link, RemoteRegion remote, Transfer transfer, PartFile part, FileAttributes source) {
        super(link, remote, transfer);
        this.part = part;
        this.source = source;
    }

    @Override
    void begin(Slot slot) throws FileServiceException {
        if (settings.content().verify()) {
            askSum(slot);
        } else if (part.had(slot.chunk())) {
            keep(slot);
        } else {
            read(slot);
        }
    }

    @Override
    void onSum(Slot slot, FileMessage.Summed sum) throws FileServiceException {
        slot.crc32c(sum.crc32c());
        if (slot.first() && part.had(slot.chunk()) && sameHere(slot)) {
            keep(slot);
        } else if (sum.zero()) {
            part.zero(offset(slot), length(slot));
            tally.zeroBytes.add(length(slot));
            finish(slot);
        } else {
            read(slot);
        }
    }

    private boolean sameHere(Slot slot) throws FileServiceException {
        try {
            Optional<Integer> here = part.sum(offset(slot), length(slot), sums);
            boolean same = here.isPresent() && here.get() == slot.crc32c();
            if (!same) {
                part.wrong(slot.chunk());
            }
            return same;
        } catch (IOException e) {
            throw new FileServiceException("Cannot read what an earlier run fetched: " + IoReasons.of(e), e);
        }
    }

    private void keep(Slot slot) throws FileServiceException {
        tally.keptBytes.add(length(slot));
        finish(slot);
    }

    private void read(Slot slot) throws FileServiceException {
        boolean posted = link.queuePair()
                .postRead(
                        slot.index(),
                        memory,
                        bufferOffset(slot),
                        length(slot),
                        remote,
                        offset(slot),
                        WrFlags.SIGNALLED);
        if (!posted) {
            throw full();
        }
        slot.moves();
    }

    @Override
    void onArrived(Slot slot) throws FileServiceException {
        throw new FileServiceException("The server sent an answer to a question that was not asked");
    }

    @Override
    void onRead(Slot slot) throws FileServiceException {
        tally.movedBytes.add(length(slot));
        if (settings.content().verify() && sums.of(buffer(slot)) != slot.crc32c()) {
            again(slot);
            askSum(slot);
            return;
        }
        part.write(offset(slot), buffer(slot));
        finish(slot);
    }

    @Override
    void check(FileAttributes now) throws FileServiceException {
        Copier.checkUnchanged(source, now);
    }

    @Override
    String what() {
        return "the bytes of the file";
    }
}
