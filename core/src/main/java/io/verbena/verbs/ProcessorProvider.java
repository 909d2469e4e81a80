package io.verbena.verbs;

import java.util.ServiceLoader;

/** Makes handler processors; found through {@link ServiceLoader}. */
public interface ProcessorProvider {

    /** See {@link HandlerProcessor#open}. */
    HandlerProcessor open(ProcessorOptions options);

    /** See {@link HandlerLoop#open}. */
    HandlerLoop openLoop(ProcessorPolicy policy);

    /**
     * The first one there is.
     *
     * @throws VerbsException when there is none
     */
    static ProcessorProvider first() {
        return ServiceLoader.load(ProcessorProvider.class, ProcessorProvider.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new VerbsException(
                        "Nothing here makes handler processors; the library's main module is missing."));
    }
}
