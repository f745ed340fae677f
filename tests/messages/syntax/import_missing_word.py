from triton language
# expect: 1:13: error: expected "import" after the module's name, found "language"
