# What `cmake --install` puts where, and the Debian package: cmake --build build/release --target package.
include(GNUInstallDirs)
find_package(Qt6 6.4 REQUIRED COMPONENTS Gui Svg)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME fabricscope)

install(TARGETS fabricscope fabricscope-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# Icons: the drawing itself, and the sizes desktops ask for.
set(icon_files "")
add_executable(fabricscope_rendericon EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/packaging/icons/rendericon.cpp)
target_link_libraries(fabricscope_rendericon PRIVATE Qt6::Gui Qt6::Svg)
set(full_icon ${CMAKE_SOURCE_DIR}/resources/fabricscope.svg)
set(small_icon ${CMAKE_SOURCE_DIR}/resources/fabricscope-small.svg)
foreach(size IN ITEMS 16 22 24 32 48 64 128 256)
    set(icon_file ${CMAKE_CURRENT_BINARY_DIR}/install/${size}.png)
    add_custom_command(OUTPUT ${icon_file} DEPENDS ${full_icon} ${small_icon} fabricscope_rendericon VERBATIM
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/install
        COMMAND fabricscope_rendericon ${full_icon} ${small_icon} ${size} ${icon_file})
    list(APPEND icon_files ${icon_file})
    install(FILES ${icon_file} DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/${size}x${size}/apps RENAME fabricscope.png)
endforeach()
install(FILES ${full_icon} DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)

install(FILES ${CMAKE_SOURCE_DIR}/packaging/desktop/fabricscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES ${CMAKE_SOURCE_DIR}/packaging/desktop/io.github.fabricscope.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/resources/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/fabricscope FILES_MATCHING PATTERN *.yaml PATTERN *.lua PATTERN *.mlir PATTERN *.ipynb)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/resources/cases DESTINATION ${CMAKE_INSTALL_DATADIR}/fabricscope FILES_MATCHING PATTERN *.yaml)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/resources/measured DESTINATION ${CMAKE_INSTALL_DATADIR}/fabricscope FILES_MATCHING PATTERN *.csv PATTERN *.md)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/resources/manual DESTINATION ${CMAKE_INSTALL_DATADIR}/fabricscope FILES_MATCHING PATTERN *.md PATTERN *.png)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/resources/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/fabricscope FILES_MATCHING PATTERN *.json)
install(FILES ${CMAKE_SOURCE_DIR}/packaging/desktop/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Manual pages and the lists of changes, packed without name and time so that equal sources give equal files.
find_program(FABRICSCOPE_GZIP gzip REQUIRED)
set(packed_files "")
foreach(page IN ITEMS fabricscope.1 fabricscope-cli.1)
    set(filled ${CMAKE_CURRENT_BINARY_DIR}/install/${page})
    configure_file(${CMAKE_SOURCE_DIR}/packaging/man/${page} ${filled} @ONLY)
    add_custom_command(OUTPUT ${filled}.gz DEPENDS ${filled} COMMAND ${FABRICSCOPE_GZIP} -9nkf ${filled} VERBATIM)
    list(APPEND packed_files ${filled}.gz)
    install(FILES ${filled}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endforeach()
# Completion, as the program prints it; the folders are those of Debian.
foreach(row IN ITEMS "bash|bash-completion/completions|fabricscope-cli" "zsh|zsh/vendor-completions|_fabricscope-cli" "fish|fish/vendor_completions.d|fabricscope-cli.fish")
    string(REPLACE "|" ";" row ${row})
    list(GET row 0 shell)
    list(GET row 1 folder)
    list(GET row 2 name)
    set(script ${CMAKE_CURRENT_BINARY_DIR}/install/${shell}/${name})
    add_custom_command(OUTPUT ${script} DEPENDS fabricscope-cli VERBATIM
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/install/${shell}
        COMMAND sh -c "\"$1\" completion ${shell} > \"$2\"" sh $<TARGET_FILE:fabricscope-cli> ${script})
    list(APPEND packed_files ${script})
    install(FILES ${script} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
endforeach()
set(changes ${CMAKE_CURRENT_BINARY_DIR}/install/changelog)
configure_file(${CMAKE_SOURCE_DIR}/packaging/desktop/changelog ${changes} @ONLY)
add_custom_command(OUTPUT ${changes}.gz DEPENDS ${changes} COMMAND ${FABRICSCOPE_GZIP} -9nkf ${changes} VERBATIM)
set(news ${CMAKE_CURRENT_BINARY_DIR}/install/NEWS.md)
add_custom_command(OUTPUT ${news}.gz DEPENDS ${CMAKE_SOURCE_DIR}/CHANGELOG.md VERBATIM
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/CHANGELOG.md ${news}
    COMMAND ${FABRICSCOPE_GZIP} -9nf ${news})
install(FILES ${changes}.gz ${news}.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The package for Python, where it is built.
if(TARGET fabricscope_python)
    set(python_folder lib/python3/dist-packages/fabricscope)
    install(TARGETS fabricscope_python LIBRARY DESTINATION ${python_folder} COMPONENT python)
    install(DIRECTORY ${CMAKE_SOURCE_DIR}/app/python/fabricscope/ DESTINATION ${python_folder} COMPONENT python FILES_MATCHING PATTERN *.py PATTERN *.pyi PATTERN py.typed
        PATTERN __pycache__ EXCLUDE)
    install(FILES ${CMAKE_SOURCE_DIR}/packaging/desktop/copyright ${changes}.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/python3-fabricscope COMPONENT python)
endif()
add_custom_target(fabricscope_install_files ALL DEPENDS ${icon_files} ${packed_files} ${changes}.gz ${news}.gz)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fabricscope)
set(CPACK_PACKAGE_VENDOR "Fabricscope")
set(CPACK_PACKAGE_CONTACT "Fabricscope maintainers <fabricscope@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "explore platforms for distributed machine learning")
set(CPACK_PACKAGE_DESCRIPTION "Fabricscope shows how long a distributed training step takes on a given
fabric, and why. It simulates multi-dimensional fabrics, collective algorithms
and Chakra execution traces and reads the inputs of ASTRA-sim unchanged.
This package holds the desktop program and the command line.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded at run time: no linker sees it.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-noto-core | fonts-dejavu-core, qt6-translations-l10n")
if(TARGET fabricscope_python)
    set(CPACK_DEB_COMPONENT_INSTALL ON)
    set(CPACK_COMPONENTS_ALL fabricscope python)
    set(CPACK_COMPONENTS_GROUPING IGNORE)
    set(CPACK_DEBIAN_FABRICSCOPE_PACKAGE_NAME fabricscope)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-fabricscope)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
    # The compiled part is of one version of Python.
    math(EXPR next_minor "${Python3_VERSION_MINOR} + 1")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.${Python3_VERSION_MINOR}), python3 (<< 3.${next_minor}), python3-numpy")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-pandas")
    set(CPACK_COMPONENT_FABRICSCOPE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
    set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Fabricscope shows how long a distributed training step takes on a given
fabric, and why. This package lets Python programs and notebooks change
designs, simulate them, and take the results as numpy arrays and pandas
frames.")
endif()
include(CPack)
