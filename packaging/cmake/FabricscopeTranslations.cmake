# German of the window: one catalog per folder of sources (resources/translations/FOLDER_de.ts), compiled together into the resource translations/fabricscope_de.qm.
# Only those of Qt 6: another may come first in PATH.
foreach(tool IN ITEMS lrelease lupdate)
    string(TOUPPER FABRICSCOPE_${tool} name)
    find_program(${name} ${tool} HINTS ${QT6_INSTALL_PREFIX}/${QT6_INSTALL_BINS} NO_DEFAULT_PATH REQUIRED)
endforeach()

# Sets VARIABLE to the sources that hold the catalogs.
function(fabricscope_translations VARIABLE)
    file(GLOB catalogs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/resources/translations/*_de.ts)
    set(german ${CMAKE_CURRENT_BINARY_DIR}/fabricscope_de.qm)
    add_custom_command(OUTPUT ${german} DEPENDS ${catalogs} VERBATIM COMMENT "German"
        COMMAND ${FABRICSCOPE_LRELEASE} -silent ${catalogs} -qm ${german})
    set(list ${CMAKE_CURRENT_BINARY_DIR}/translations.qrc)
    file(CONFIGURE OUTPUT ${list} CONTENT "<RCC><qresource prefix=\"/translations\"><file>fabricscope_de.qm</file></qresource></RCC>\n")
    set(source ${CMAKE_CURRENT_BINARY_DIR}/qrc_translations.cpp)
    add_custom_command(OUTPUT ${source} DEPENDS ${german} ${list} VERBATIM COMMENT ""
        COMMAND Qt6::rcc --name translations --output ${source} ${list})
    set_source_files_properties(${source} PROPERTIES SKIP_AUTOGEN ON SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
    set(${VARIABLE} ${source} PARENT_SCOPE)
endfunction()

# For developers: ninja translations takes what the sources ask for into the catalogs.
set(updates "")
foreach(folder IN ITEMS app widgets)
    list(APPEND updates COMMAND ${FABRICSCOPE_LUPDATE} -silent -no-obsolete -locations none ${CMAKE_SOURCE_DIR}/${folder} -ts ${CMAKE_SOURCE_DIR}/resources/translations/${folder}_de.ts)
endforeach()
add_custom_target(translations ${updates} VERBATIM COMMENT "New texts of the window for resources/translations")
